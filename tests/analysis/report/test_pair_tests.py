"""Tests and effect sizes of pairs in an analysis: which systems, raters and texts they are of, and what is printed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import permutation_test, t

from analysis.sections.pair_tests import display, plot
from analysis.sections.results import Results, load
from analysis.sections.tables import Table
from tests.analysis.report.made import crowd
from tests.analysis.report.test_margins import THREE, as_binary, results_of


def tables(results: dict[str, Any]) -> dict[str, Table]:
    return {table.name: table for table in display.part(load(results)).tables}


def test_every_pair_of_the_comparisons_has_its_tests_in_the_same_direction() -> None:
    rows = pd.DataFrame(crowd(THREE))
    results = results_of(crowd(THREE), "att", 0.1)
    compared = {(pair["first"], pair["second"]): pair["difference"] for pair in results["contrasts"]["pairs"]}
    tested = {(pair["first"], pair["second"]): pair for pair in results["pair_tests"]["pairs"]}
    assert list(tested) == list(compared)
    assert len(tested) == 3
    for names, pair in tested.items():
        assert pair["effect"] * compared[names] > 0
        assert (pair["raters"], pair["texts"]) == (16, 6)
        for by, p in (("rater", pair["flips_raters"]), ("text", pair["flips_texts"])):
            cells = rows.groupby([by, "system"])["score"].mean().unstack()
            apart = (cells[names[0]] - cells[names[1]]).to_numpy()
            theirs = permutation_test((apart,), np.mean, permutation_type="samples", n_resamples=2**16).pvalue
            assert p == pytest.approx(theirs, abs=0.005)
        assert pair["equivalence"] > 0.5
        assert pair["odds"] is None


def test_effect_sizes_have_the_sd_they_are_in_in_points_where_scores_are_percent() -> None:
    """The SD within system is that of groupwise residuals; with shares in percent it is 100 times that of 0 and 1."""
    for rows, preset, factor in ((crowd(THREE), "att", 1), (as_binary(crowd(THREE, raters=40, clips=30)), "hfr", 100)):
        results = results_of(rows, preset, 0.1 * factor)
        of_pair, frame = tables(results)["effect_sizes"], pd.DataFrame(rows)
        assert [column.title for column in of_pair.columns][2:4] == ["SD of one rating", "Difference / SD"]
        mine = frame[frame["system"].isin(of_pair.rows[0][:2])].groupby("system")["score"]
        sd = np.sqrt((mine.var() * (mine.size() - 1)).sum() / (mine.size() - 1).sum())
        difference = results["contrasts"]["pairs"][0]["difference"]
        assert of_pair.rows[0][2:4] == pytest.approx((factor * sd, difference / sd))


def test_only_shares_have_odds_ratios_and_only_a_margin_has_equivalence() -> None:
    shares = results_of(as_binary(crowd(THREE, raters=40, clips=30)), "hfr", 10.0)
    alpha_beta = shares["pair_tests"]["pairs"][0]
    assert (alpha_beta["first"], alpha_beta["second"]) == ("alpha", "beta")
    means = {group["name"]: group["mean"] for group in shares["scores"]["by"]["system"]}
    odds = {name: mean / (1 - mean) for name, mean in means.items()}
    assert alpha_beta["odds"] == pytest.approx(odds["alpha"] / odds["beta"])
    assert alpha_beta["odds_low"] < alpha_beta["odds"] < alpha_beta["odds_high"]
    assert "Odds ratio" in [column.title for column in tables(shares)["effect_sizes"].columns]
    assert "lies within ± 10.0" in " ".join(tables(shares)["pair_tests"].notes)
    points = results_of(crowd(THREE), "att", 0.6)
    assert points["pair_tests"]["margin"] is None
    assert "TOST" not in " ".join(column.title for column in tables(points)["pair_tests"].columns)
    assert "Odds ratio" not in [column.title for column in tables(points)["effect_sizes"].columns]


def test_systems_with_own_texts_have_no_test_by_text() -> None:
    rows = [{**row, "text": f"{row['system']}-{row['text']}"} for row in crowd(THREE)]
    for pair in results_of(rows, "att", 0.1)["pair_tests"]["pairs"]:
        assert (pair["texts"], pair["flips_texts"]) == (0, None)
        assert pair["flips_raters"] is not None


def test_a_system_without_an_interval_has_no_tests() -> None:
    rows = [row for row in crowd(THREE) if row["system"] != "human" or row["rater"] < 4]
    pairs = results_of(rows, "att", 0.1)["pair_tests"]["pairs"]
    assert [(pair["first"], pair["second"]) for pair in pairs] == [("alpha", "beta")]


def test_an_analysis_of_an_earlier_release_gains_no_section() -> None:
    from analysis.report.document import parts

    results = results_of(crowd(THREE), "att", 0.1)
    assert "pair_tests" in [part.key for part in parts(load(results))]
    del results["pair_tests"]
    older: Results = load(results)
    assert "pair_tests" not in [part.key for part in parts(older)]


def test_the_two_best_are_compared_by_text_with_intervals_over_raters() -> None:
    """In a balanced table, deleting one of n raters makes the paired t test's error √(n / (n − 1)) times as large."""
    rows = pd.DataFrame(crowd(THREE))
    results = results_of(crowd(THREE), "att", 0.1)
    by_text = results["pair_tests"]["by_text"]
    assert (by_text["first"], by_text["second"]) == ("human", "alpha")
    assert [row["difference"] for row in by_text["texts"]] == sorted(
        (row["difference"] for row in by_text["texts"]), reverse=True
    )
    assert {row["text"] for row in by_text["texts"]} == set(rows["text"])
    checked = 0
    for row in by_text["texts"]:
        cells = rows[rows["text"] == row["text"]].pivot(index="rater", columns="system", values="score")
        apart = cells["human"] - cells["alpha"]
        assert row["difference"] == pytest.approx(apart.mean())
        reach = t.isf(0.025, 15) * apart.std() / np.sqrt(16) * np.sqrt(16 / 15)
        # Near an end of the scale it is made of both systems' intervals.
        if cells.mean().between(0.35, 0.8)[["human", "alpha"]].all():
            assert (row["low"], row["high"]) == pytest.approx((apart.mean() - reach, apart.mean() + reach))
            checked += 1
    assert checked > 0


def test_the_primary_contrast_is_the_one_by_text_and_few_raters_have_no_interval() -> None:
    rows = [row for row in crowd(THREE) if row["text"] != "text-2" or row["system"] != "beta" or row["rater"] < 4]
    by_text = results_of(rows, "att", 0.1, primary="beta vs alpha")["pair_tests"]["by_text"]
    assert (by_text["first"], by_text["second"]) == ("beta", "alpha")
    assert {row["text"] for row in by_text["texts"] if row["low"] is None} == {"text-2"}
    assert np.mean([row["difference"] for row in by_text["texts"]]) < 0


def test_the_forest_plot_has_a_row_for_each_text_and_none_without_shared_texts() -> None:
    results = results_of(crowd(THREE), "att", 0.1)
    drawn = plot.by_text(load(results))
    assert drawn is not None
    assert drawn.title == "Human less alpha, by text"
    assert drawn.alt.count("text-") == 6
    own = [{**row, "text": f"{row['system']}-{row['text']}"} for row in crowd(THREE)]
    assert plot.by_text(load(results_of(own, "att", 0.1))) is None

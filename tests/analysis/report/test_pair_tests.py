"""Tests and effect sizes of pairs in an analysis: which systems, raters and texts they are of, and what is printed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import permutation_test

from analysis.sections.pair_tests import display
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

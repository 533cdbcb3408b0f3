"""Copies that were recognised: right answers, an exact test and d′ of each system compared with the baseline."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from analysis.live import scores_page
from analysis.live.result import Figures
from analysis.report import computing, document, page
from analysis.sections.identification import Identification, compute
from analysis.sections.scores import display
from analysis.stats.preferences.discrimination import abx_share
from tests.analysis.rated import Rated
from tests.analysis.report.made import gathered


def answers(d_prime: dict[str, float], raters: int = 40, texts: int = 20) -> pd.DataFrame:
    """Draw right and wrong answers from the differencing model."""
    draw = np.random.default_rng(1)
    rows = [
        (rater, f"t{text}", text, system, "", float(draw.random() < abx_share(value)))
        for rater in range(raters)
        for text in range(texts)
        for system, value in d_prime.items()
    ]
    columns = ["rater", "text", "clip", "system", "kind", "score"]
    return pd.DataFrame(rows, columns=columns).astype({"text": "category", "system": "category", "kind": "category"})


def test_planted_d_primes_lie_in_their_intervals_and_guesses_are_no_difference() -> None:
    planted = {"alder": 2.0, "birch": 1.0, "cedar": 0.0}
    section = compute.of(answers(planted))
    assert [each.name for each in section.systems] == list(planted)
    for each in section.systems[:2]:
        assert each.d_low is not None
        assert each.d_high is not None
        assert each.d_low < planted[each.name] < each.d_high
        assert each.p < 0.001
    assert section.systems[2].p > 0.05


def test_p_is_the_exact_probability_of_as_many_right_guesses() -> None:
    rows = answers({"alder": 0.3}, raters=10, texts=10)
    [each] = compute.of(rows).systems
    assert (each.right, each.answers) == (rows["score"].sum(), 100)
    assert each.p == pytest.approx(binom.sf(each.right - 1, 100, 0.5))


@pytest.mark.django_db
def test_an_analysis_of_copies_has_its_table_on_the_page_and_in_the_report(now: datetime) -> None:
    rated = Rated(now, kind="compare", options={"task__reference": "copy", "task__pairs": "baseline"}).everybody(30)
    results = computing.compute(gathered(rated.study, sections=("identification", "preferences")))
    assert isinstance(results.identification, Identification)
    counting = [row.value for row in rated.counting()]
    [each] = results.identification.systems
    assert (each.right, each.answers) == (sum(filter(None, counting)), len(counting))
    assert page.blocks(results)[0].part.key == "identification"
    assert [part.tables[0].name for part in document.parts(results) if part.key == "identification"] == ["abx"]


@pytest.mark.django_db
def test_live_and_the_analysis_say_what_right_answers_mean(now: datetime) -> None:
    rated = Rated(now, kind="compare", options={"task__reference": "copy", "task__pairs": "baseline"}).everybody(30)
    live = Figures.model_validate(rated.figures())
    assert scores_page.reading(live).startswith("the share of right answers: half of all guesses are right")
    [sentence] = scores_page.lead(live, "system")
    assert "is told from the baseline most often" in sentence
    assert display.lead(computing.compute(gathered(rated.study))) == [sentence]


def pairs_of(hits: dict[str, float], false_alarm: float) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw answers to pairs of each system with the baseline, and to as many identical pairs of both."""
    draw = np.random.default_rng(1)
    drawn: tuple[list[tuple[object, ...]], list[tuple[object, ...]]] = ([], [])
    for rater in range(30):
        for number, text in enumerate(range(20)):
            for at, (system, hit) in enumerate(hits.items()):
                is_identical, item = (rater + number) % 2, 100 * at + text
                name = "human" if is_identical and rater % 3 else system
                share = false_alarm if is_identical else hit
                drawn[is_identical].append((rater, item, f"t{text}", item, name, "", float(draw.random() < share)))
    columns = ["rater", "item", "text", "clip", "system", "kind", "score"]
    kept = {"text": "category", "system": "category", "kind": "category"}
    different, identical = (pd.DataFrame(rows, columns=columns).astype(kept) for rows in drawn)
    return different, identical


def test_planted_differences_are_found_next_to_the_false_alarms_of_identical_pairs() -> None:
    section = compute.of_pairs(*pairs_of({"alder": 0.8, "birch": 0.2}, 0.2))
    alder, birch = section.pairs
    assert (alder.name, birch.name) == ("alder", "birch")
    assert alder.different == alder.identical == 300, (
        "identical pairs of the baseline belong to the system of their item"
    )
    assert alder.low is not None
    assert alder.high is not None
    assert 0 < alder.low < 0.6 < alder.high
    assert birch.low is not None
    assert birch.high is not None
    assert birch.low < 0 < birch.high
    assert alder.d_prime > 1.5 > 0.9 > birch.d_prime


@pytest.mark.django_db
def test_an_analysis_of_same_different_has_hits_and_false_alarms(now: datetime) -> None:
    rated = Rated(now, kind="compare", options={"task__answer": "same", "task__pairs": "baseline"}).everybody(40)
    results = computing.compute(gathered(rated.study, sections=("identification", "preferences", "scales")))
    assert isinstance(results.identification, Identification)
    [each] = results.identification.pairs
    parts = [row.part for row in rated.counting()]
    assert 0 < parts.count("different") < len(parts)
    assert (each.different, each.identical) == (parts.count("different"), parts.count("identical"))
    tables = [part.tables[0].name for part in document.parts(results) if part.key == "identification"]
    assert tables == ["same_different"]
    live = Figures.model_validate(rated.figures())
    assert "called different from the baseline" in scores_page.lead(live, "system")[0]

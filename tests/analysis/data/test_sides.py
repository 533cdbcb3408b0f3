"""Scores of tasks that compare systems: against a baseline, or over all pairs that a system was in."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from statistics import fmean
from typing import Any

import pytest

from analysis.data import frame, sides
from analysis.live import scores_page
from analysis.live.result import Figures
from analysis.report import computing, document, methods, summary
from analysis.sections.preferences import Preferences
from analysis.sections.scores import Scores, display
from analysis.sections.shared import Refusal
from analysis.stats.figures import PairProbability, SystemStrength
from studies.models import ItemClip
from tests.analysis.rated import Rated
from tests.analysis.report.made import gathered

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
OVER_BASELINE = {"task__pairs": "baseline", "task__baseline": "alpha"}
ALL = {"task__pairs": "all"}
REFUSED = ("contrasts", "baseline", "multiverse")


def rated(now: datetime, answer: str = "tie", **design: Any) -> Rated:
    options = {"task__answer": answer, **design}
    return Rated(now, kind="compare", human_tests=True, options=options).everybody(30)


def by_hand(world: Rated) -> dict[str, float]:
    """Return the mean score of each system over all answers on pairs that it was in."""
    scale = world.frozen.kind.score
    systems = {
        (row.item_id, row.place): row.clip.system.name for row in ItemClip.objects.select_related("clip__system")
    }
    values: defaultdict[str, list[float]] = defaultdict(list)
    for row in world.counting():
        assert row.value is not None
        values[systems[row.trial.item_id, 0]].append(row.value)
        values[systems[row.trial.item_id, 1]].append(scale.low + scale.high - row.value)
    return {name: fmean(each) for name, each in values.items()}


@pytest.mark.parametrize("answer", ["forced", "tie", "graded"])
def test_of_all_pairs_a_system_scores_over_all_that_it_was_in(answer: str, now: datetime) -> None:
    world = rated(now, answer, **ALL)
    expected = by_hand(world)
    assert set(expected) == {"alpha", "beta", "human"}
    live = Figures.model_validate(world.figures())
    assert {row.name: row.mean for row in live.scores["system"]} == pytest.approx(expected)
    assert (live.over, live.baseline, live.breakdowns) == ("", None, ())
    assert [cell.system for cell in live.coverage.cells] == [""]
    assert isinstance(live.contrasts, Refusal)
    assert isinstance(live.model, Refusal)
    results = computing.compute(gathered(world.study))
    assert isinstance(results.scores, Scores)
    assert {group.name: group.mean for group in results.scores.by["system"]} == pytest.approx(expected)
    assert results.scores.over == ""
    assert set(results.scores.by) <= {"system", "voice", "cells"}
    assert all(isinstance(getattr(results, name), Refusal) for name in REFUSED)


def test_a_share_over_all_pairs_has_its_own_interval_from_each_answer_once(now: datetime) -> None:
    world = rated(now, "forced", **ALL)
    [alpha] = [row for row in Figures.model_validate(world.figures()).scores["system"] if row.name == "alpha"]
    pairs = {row.item_id for row in ItemClip.objects.filter(clip__system__name="alpha")}
    answers = [row for row in world.counting() if row.trial.item_id in pairs]
    assert alpha.ratings == len(answers)
    assert alpha.raters == len({row.trial.rater_id for row in answers})


def test_against_a_baseline_only_the_others_score_and_the_words_name_it(now: datetime) -> None:
    world = rated(now, **OVER_BASELINE)
    live = Figures.model_validate(world.figures())
    expected = world.means(lambda row: row.clip.system.name if row.clip else None)
    assert {row.name: row.mean for row in live.scores["system"]} == pytest.approx(expected)
    assert set(expected) == {"beta", "human"}
    assert live.over == "alpha"
    assert {cell.system for cell in live.coverage.cells} == {"beta", "human"}
    assert scores_page.reading(live).startswith("the share of answers that prefer the system to alpha")
    sentences = scores_page.lead(live, "system")
    assert [sentence.partition(" in ")[0] for sentence in sentences] == [
        "beta is preferred to alpha", "Human is preferred to alpha"
    ]  # fmt: skip
    results = computing.compute(gathered(world.study))
    assert isinstance(results.scores, Scores)
    assert results.scores.notes[0] == "Shares of answers that prefer a system to alpha; no preference counts half."
    assert display.lead(results) == sentences
    assert not isinstance(results.contrasts, Refusal)


def test_words_of_all_pairs_name_no_baseline(now: datetime) -> None:
    world = rated(now, **ALL)
    live = Figures.model_validate(world.figures())
    assert "to those that it met" in scores_page.reading(live)
    # Human speech is no system, as in the words of other tasks.
    first, second = scores_page.lead(live, "system")
    assert "is preferred most often of 2 systems" in first
    assert second.startswith("Human speech is preferred in ")
    results = computing.compute(gathered(world.study))
    assert display.lead(results) == scores_page.lead(live, "system")


def test_of_all_pairs_the_report_gives_the_reason_once_and_leaves_out_sections_on_scores(now: datetime) -> None:
    world = rated(now, "forced", **ALL)
    results = computing.compute(gathered(world.study))
    parts = document.parts(results, world.study.definition)
    assert not {"human", "contrasts", "pair_tests", "models", "boxes"} & {part.key for part in parts}
    page = document.html(results, world.study.definition, [])
    assert page.count("Each system met several others") == 1
    assert "under Preferences" not in page
    # Scores first, then pairs, as in reports of other tasks.
    assert isinstance(results.preferences, Preferences)
    strengths = tuple(SystemStrength(name, 0.0, None, None, 9, 9, 9, "a") for name in ("human", "alpha", "beta"))
    pairs_of = (("alpha", "human"), ("human", "beta"), ("alpha", "beta"))
    probabilities = tuple(PairProbability(*names, 0.5, 0.4, 0.6, 0.3, 0.7, 0.01) for names in pairs_of)
    compared = results.preferences.model_copy(update={"systems": strengths, "probabilities": probabilities})
    shown = summary.part(results.model_copy(update={"preferences": compared}))
    _question, scores, pairs, _basis = shown.sentences
    assert "is preferred most often of 2 systems" in scores
    assert "3 pairs of systems and human speech differ" in pairs
    [preferences] = [part for part in parts if part.key == "preferences"]
    table = preferences.tables[0]
    # The study offers only A or B; what concerns a pair's share is below its table.
    assert "No preference" not in [column.title for column in table.columns]
    notes = {pair.note for pair in results.preferences.pairs if pair.note}
    assert notes <= {*table.notes}
    assert not notes & {*preferences.sentences}
    wanted = world.study.definition.protocol.ratings_wanted
    assert f"{wanted} usable ratings were wanted for each pair." in page


def test_answers_from_the_other_side_are_turned_and_traps_left_out(now: datetime) -> None:
    world = rated(now, "graded", **ALL)
    table = frame.scores(world.study.pk, which=False)
    known = sides.sides_of(world.study.pk, world.frozen.kind)
    assert known is not None
    assert known.baseline is None
    both = sides.both_sides(table, world.study.pk, known, 0.0)
    own, other = both[: len(table)], both[len(table) :]
    assert (own["score"].to_numpy() == -other["score"].to_numpy()).all()
    assert (own["system"].astype(str).to_numpy() == other["against"].astype(str).to_numpy()).all()
    assert (own["is_first"].to_numpy() != other["is_first"].to_numpy()).all()
    codes = zip(own["code"].astype(str), other["code"].astype(str), strict=True)
    assert all(int(one) == -int(two) for one, two in codes)
    assert (own["text"].astype(str).to_numpy() == other["text"].astype(str).to_numpy()).all()
    assert [sides.turned(code) for code in ("preferred", "other", "tie")] == ["other", "preferred", "tie"]


@pytest.mark.parametrize(
    ("design", "said", "unsaid"),
    [
        (OVER_BASELINE, "A/B is the share of answers that prefer a system to alpha;", "to those that it met"),
        (ALL, "A/B is the share of answers that prefer a system to those that it met;", "studentized range"),
    ],
)
def test_the_methods_say_what_a_share_is_against(design: dict[str, str], said: str, unsaid: str, now: datetime) -> None:
    traps = {"protocol__flawed_traps": 1, "protocol__human_traps": 1, "protocol__human_traps_right": 1}
    world = rated(now, **design, **traps)
    inputs = gathered(world.study)
    words = " ".join(methods.methods(computing.compute(inputs), inputs.definition).sentences)
    assert said in words
    assert unsaid not in words
    assert "Traps in each batch, pairs of two identical clips: 1." in words
    assert "model of Bradley and Terry" in words

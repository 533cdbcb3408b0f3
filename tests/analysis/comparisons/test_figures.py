"""Figures of machines against people, on answers whose figures are known (rules F1, F2, F4)."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from scipy.stats import pearsonr, spearmanr

from analysis.comparisons import figures
from analysis.comparisons.machine import Machine
from analysis.data import frame
from analysis.data.models import Simulated
from analysis.metrics import queries as metrics_queries
from analysis.metrics import sets
from analysis.metrics.models import MetricSet
from analysis.sections.metrics import compute as metrics_compute
from analysis.sections.results import dump
from raters.models import Rating
from studies.definition import queries as definition_queries
from studies.models import Clip
from tests.analysis.comparisons.rated import GOOD, Heard
from tests.analysis.world import World


@pytest.fixture
def study(db: None, files: Path, now: datetime) -> Heard:
    return Heard(now)


def compute(first: MetricSet, second: MetricSet | None = None) -> dict[str, Any]:
    compared = figures.compute(study_id=first.study_id, first=first, second=second, simulated=Simulated.WITHOUT)
    return dump(compared.figures)


def alone(of: MetricSet) -> dict[str, Any]:
    found: dict[str, Any] = compute(of)["machines"][0]
    return found


def test_a_machine_that_ranks_as_people_do_has_distance_0_everywhere(study: Heard) -> None:
    found = alone(study.machine("judge", GOOD, low=0, high=1))
    assert [row["dimension"] for row in found["ranks"]] == ["", "poetry", "数字"]
    for row in found["ranks"]:
        assert (row["n"], row["distance"], row["ceiling"]["raters"]) == (5, 0, 4)
    assert found["ranks"][0]["p"] == pytest.approx(2 / 120)
    assert [row["system"] for row in found["voices"]] == ["s5", "s4", "s3", "s2", "s1"]
    assert [row["machine_place"] for row in found["voices"]] == [1, 2, 3, 4, 5]


def test_a_machine_of_which_lower_is_better_is_turned_round(study: Heard) -> None:
    wer = study.machine("WER", {system: 1 - worth for system, worth in GOOD.items()}, direction="lower")
    found = alone(wer)
    assert found["ranks"][0]["distance"] == 0
    assert found["clip"]["pearson"] < 0, "correlations are of the values as they are"
    assert found["traps"]["auc"] == 1
    backwards = alone(study.machine("WER", {system: 1 - worth for system, worth in GOOD.items()}))
    assert backwards["ranks"][0]["distance"] == 1


def test_correlations_leave_human_recordings_out_and_count_what_is_left(study: Heard) -> None:
    judge = study.machine("judge", GOOD, step=0.01)
    found = alone(judge)
    values = metrics_queries.values(judge.pk)
    clips = Clip.objects.filter(study=study.study, role="test").exclude(system__name="human").order_by("pk")
    pairs = [
        (values[clip.pk], fmean(float(row.value or 0) for row in Rating.objects.filter(clip=clip))) for clip in clips
    ]
    machine, people = zip(*pairs, strict=True)
    assert found["clip"]["n"] == 20
    assert found["clip"]["pearson"] == pytest.approx(pearsonr(machine, people)[0])
    assert found["clip"]["spearman"] == pytest.approx(spearmanr(machine, people)[0])
    assert found["system"]["n"] == 5
    assert [row["name"] for row in found["systems"]] == ["human", "s1", "s2", "s3", "s4", "s5"]


def test_traps_are_a_yes_no_test_at_the_middle_of_the_scale(study: Heard) -> None:
    traps = alone(study.machine("judge", GOOD, low=0, high=1))["traps"]
    assert (traps["asked"], traps["scored"], traps["auc"]) == (12, 12, 1)
    assert traps["at"]["f1"] == 1
    assert traps["at"]["always"] == pytest.approx(2 * 8 / (2 * 8 + 4))
    shy = alone(study.machine("MOS", {"human": 2.9, "broken": 1.0}, low=1, high=5))
    assert (shy["formula"], shy["traps"]["at"]["f1"], shy["traps"]["auc"]) == ("(m − 1) / 4", 0, 1)
    assert shy["traps"]["mapped_human"] == pytest.approx([1.9 / 4] * 8)
    middling = alone(study.machine("MOS", {"human": 3.0, "broken": 1.0}, low=1, high=5))
    assert (shy["traps"]["at_half"], middling["traps"]["at_half"], middling["traps"]["at"]["f1"]) == (0, 8, 1)


def test_without_a_scale_there_is_no_threshold_but_auc(study: Heard) -> None:
    traps = alone(study.machine("judge", GOOD))["traps"]
    assert "both ends of the scale" in traps["at"]["refused"]
    assert traps["at_half"] is None
    assert traps["auc"] == 1


@pytest.mark.parametrize(
    ("low", "high", "direction", "formula", "of_low"),
    [
        (0, 1, "higher", "m", 0),
        (1, 5, "higher", "(m − 1) / 4", 0),
        (0, 100, "higher", "m / 100", 0),
        (0, 1, "lower", "(1 − m)", 1),
        (1, 5, "lower", "(5 − m) / 4", 1),
        (None, None, "lower", "", None),
    ],
)
def test_the_mapping_is_what_is_printed(
    low: float | None, high: float | None, direction: str, formula: str, of_low: float | None
) -> None:
    of = MetricSet(name="m", low=low, high=high, direction=direction)
    machine = Machine(of, {}, frozenset(), frozenset())
    assert machine.formula == formula
    mapped = machine.mapped([low or 0.0])
    assert (None if mapped is None else mapped[0]) == of_low


def test_what_a_judge_was_trained_on_is_left_out_and_its_dimensions_are_marked(study: Heard) -> None:
    hashes = [clip.sha256 for clip in study.clips("s3")]
    judge = study.machine("judge", GOOD, provenance={"training": {"clips": hashes, "dimensions": ["poetry"]}})
    found = alone(judge)
    assert (found["left_out"], found["paired"]) == (4, 20)
    assert {row["dimension"]: row["seen"] for row in found["ranks"]} == {"": False, "poetry": True, "数字": False}
    assert "s3" not in {row["name"] for row in found["systems"]}
    assert "5 systems" in found["calibration"][0]["refused"]


def test_calibration_names_the_level_that_its_systems_allow(study: Heard) -> None:
    [found] = alone(study.machine("judge", GOOD))["calibration"]
    assert (found["systems"], found["level"]) == (5, pytest.approx(5 / 6))
    assert found["at"] == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5])
    assert found["fitted"] == pytest.approx([row["score"] for row in found["rows"]])
    assert found["reach"] == pytest.approx(max(abs(row["score"] - row["left_out"]) for row in found["rows"]))


def test_clips_on_which_machine_and_people_differ_come_first(study: Heard) -> None:
    odd = study.clips("s1")[2]
    judge = study.machine("judge", GOOD)
    sets.put(set_id=judge.pk, values=[sets.Given(odd.pk, 2.0)])
    first = alone(judge)["apart"][0]
    assert (first["clip"], first["machine"], first["ratings"]) == (odd.pk, 2.0, 4)
    assert first["difference"] > 0.8


def test_two_machines_stand_side_by_side_and_two_versions_show_what_changed(study: Heard) -> None:
    old = study.machine("judge", GOOD)
    new = study.machine("judge", {system: worth + 0.1 for system, worth in GOOD.items()}, step=0.001)
    found = compute(new, old)
    assert len(found["machines"]) == 2
    drift = found["between"]["drift"]
    assert (drift["older"], drift["newer"], drift["n"]) == (old.pk, new.pk, 36)
    assert drift["low"] < drift["mean"] < drift["high"]
    assert 0.1 < drift["mean"] < 0.112
    other = compute(new, study.machine("WER", GOOD))["between"]
    assert (other["drift"], other["correlation"]["n"]) == (None, 36)


def test_a_machine_that_says_nothing_of_these_clips_gets_sentences(study: Heard) -> None:
    found = alone(sets.create_set(study_id=study.study.pk, name="empty", now=study.now))
    assert (found["paired"], found["systems"], found["points"], found["apart"]) == (0, [], [], [])
    assert "three pairs" in found["clip"]["refused"]
    assert "from two on" in found["ranks"][0]["refused"]
    assert found["traps"]["auc"] is None
    assert "one kind has no value" in found["traps"]["at"]["refused"]


def test_a_machine_that_says_the_same_of_all_clips_gets_sentences(study: Heard) -> None:
    found = alone(study.machine("flat", dict.fromkeys(GOOD, 0.5), low=0, high=1))
    assert "the same" in found["clip"]["refused"]
    assert found["ranks"][0]["distance"] == 0.5
    assert found["traps"]["auc"] == 0.5


def test_a_study_that_nobody_has_rated_gets_sentences(world: World) -> None:
    made = sets.create_set(study_id=world.study.pk, name="judge", now=world.now)
    sets.put(set_id=made.pk, values=[sets.Given(clip.pk, 0.5) for clip in world.clips("alpha")])
    found = compute(made)
    assert (found["ratings"], found["raters"]) == (0, 0)
    assert "refused" in found["machines"][0]["clip"]


def test_the_report_gets_each_metrics_newest_set_with_its_correlations(study: Heard) -> None:
    study.machine("judge", dict.fromkeys(GOOD, 0.0))
    study.machine("judge", GOOD, low=0, high=1)
    study.machine("WER", {"human": 0.1}, direction="lower")
    of = definition_queries.study(study.study.slug)
    ratings = frame.scores(of.pk, False)
    wer, judge = dump(metrics_compute.compute(of.pk, ratings))["tables"]
    assert (judge["name"], judge["scale"], judge["system"]["n"]) == ("judge", [0, 1], 5)
    assert judge["system"]["spearman"] == pytest.approx(1)
    assert [(row["name"], row["kind"]) for row in judge["systems"]][:2] == [("human", "human"), ("s1", "")]
    assert judge["systems"][1]["mean"] == pytest.approx(0.1)
    assert (wer["direction"], wer["scored"], wer["missing"]) == ("lower", 12, 24)
    assert "three pairs" in wer["system"]["refused"]

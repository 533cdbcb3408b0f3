"""Traps among comparisons, from the launch to validated batches, scores and the checks of an analysis."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Any

import pytest

from analysis.data import frame
from analysis.data.models import Simulated
from analysis.live import figures
from raters.models import Batch, Rating, Trial, TrialClip
from raters.simulation.simulated_sessions import simulate
from studies.launch import checks, design_page
from studies.models import Item, Study
from tests import kinds

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
TRAPS = {"protocol__flawed_traps": 1, "protocol__human_traps": 1, "protocol__human_traps_right": 1}


def make(now: datetime, answer: str = "tie", **settings: Any) -> Study:
    return kinds.make("compare", now=now, task__answer=answer, **{**TRAPS, **settings})


@pytest.mark.parametrize("answer", ["tie", "graded"])
def test_traps_decide_on_batches_and_stay_out_of_scores(answer: str, now: datetime) -> None:
    study = make(now, answer)
    assert Counter(Item.objects.values_list("role", flat=True)) == {"test": 3, "trap_flawed": 2, "trap_human": 2}
    simulate(study_id=study.pk, raters=30, seed=3, careless=0.3, now=now)
    valid = Counter(Batch.objects.values_list("valid", flat=True))
    assert valid[True] >= 15
    assert valid[False] >= 3
    roles = Counter(Trial.objects.values_list("item__role", flat=True))
    assert roles == {"test": 60, "trap_flawed": 30, "trap_human": 30}
    table = frame.scores(study.pk, which=True)
    assert Counter(table["role"]) == {"test": 60, "trap_flawed": 30, "trap_human": 30}
    counted = frame.counted(table)
    assert set(counted["role"]) == {"test"}
    assert {*counted["system"], *counted["against"]} == {"alpha", "beta"}
    assert len(counted) == 2 * valid[True]


def test_identical_clips_have_different_keys_and_the_same_clip(now: datetime) -> None:
    study = make(now)
    simulate(study_id=study.pk, raters=5, seed=1, careless=0.0, now=now)
    trials = Trial.objects.filter(item__role="trap_human")
    assert trials.count() == 5
    for trial in trials:
        first, second = TrialClip.objects.filter(trial=trial)
        assert first.clip_id == second.clip_id
        assert first.key != second.key
        assert Rating.objects.get(trial=trial).clip_id == first.clip_id


def test_live_counts_traps_but_takes_no_human_baseline_from_identical_clips(now: datetime) -> None:
    study = make(now)
    simulate(study_id=study.pk, raters=20, seed=2, careless=0.0, now=now)
    shown = figures.compute(study_id=study.pk, simulated=Simulated.ONLY, now=now)
    assert {(trap.role, trap.asked) for trap in shown.traps} == {("trap_flawed", 20), ("trap_human", 20)}
    assert all(trap.share is not None and trap.share > 0.7 for trap in shown.traps)
    assert shown.baseline is None
    assert shown.guesser == pytest.approx(1 / 9)


def blocking(study: Study) -> list[str]:
    return [finding.setting for finding in checks.findings(study) if finding.level == "blocking"]


def test_identical_clips_are_refused_where_one_must_be_chosen(now: datetime) -> None:
    assert "protocol.human_traps" in blocking(make(now, "forced", launched=False))
    none = {"protocol__human_traps": 0, "protocol__human_traps_right": 0}
    assert "protocol.human_traps" not in blocking(make(now, "forced", launched=False, **none))
    assert "protocol.human_traps" not in blocking(make(now, "tie", launched=False))


def test_design_says_what_a_batch_of_pairs_holds(now: datetime) -> None:
    first = design_page.activity(make(now, launched=False).definition)[0]
    assert first == "1 batch of 4 pairs: 2 pairs, 1 flawed trap, 1 human trap."


def test_practice_is_refused(now: datetime) -> None:
    assert "screening.training" in blocking(make(now, launched=False, screening__training="flag"))

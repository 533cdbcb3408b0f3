"""Clips are held back by a researcher who saw exactly which, and come back when wanted."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from analysis.metrics.models import MetricSet
from analysis.metrics.sets import Given
from core.errors import Conflict, Invalid, NotFound
from judge.prescreening import holds
from judge.prescreening.holds import HoldRule
from judge.prescreening.models import Hold
from studies.models import Clip, Pool, Study
from tests.judge.prescreening.test_screening import scored
from tests.world import make_study


@pytest.fixture
def study(db: None, files: Path, now: datetime) -> Study:
    return make_study(now=now, texts=4, flawed=2, humans=2)


@pytest.fixture
def metric(study: Study, now: datetime) -> MetricSet:
    """Return values .0, .1, … by clip number within alpha; beta has no values, one of human a small mass."""

    def value(clip: Clip) -> float | Given:
        number = int(clip.file.split("/")[1].removesuffix(".wav"))
        if clip.system.name == "beta":
            return Given(clip.pk, None, "It is silent.", {"code": "silent", "warnings": []})
        if clip.file == "human/0.wav":
            return Given(clip.pk, 0.9, detail={"warnings": ["low_label_mass"], "label_mass": 0.02})
        return number / 10 if clip.system.name == "alpha" else 0.7

    return scored(study, now, value)


def files_of(study: Study, metric: MetricSet, **rule: Any) -> list[str]:
    return [match.recording.file for match in holds.matches(study.pk, HoldRule(metric=metric.pk, **rule))]


def held(study: Study, metric: MetricSet, now: datetime, **rule: Any) -> Hold:
    said = HoldRule(metric=metric.pk, **rule)
    shown = holds.digest(holds.matches(study.pk, said))
    return holds.hold(study_id=study.pk, rule=said, shown=shown, user=None, now=now)


def out(study: Study) -> list[str]:
    return list(Clip.objects.filter(study=study).exclude(withdrawn_at=None).values_list("file", flat=True))


def test_a_rule_names_clips_by_score_failure_and_label_mass(study: Study, metric: MetricSet) -> None:
    assert files_of(study, metric) == []
    assert files_of(study, metric, below=0.2) == ["alpha/0.wav", "alpha/1.wav"]
    others = Clip.objects.filter(study=study, system__name__in=["human", "broken"]).values_list("file", flat=True)
    both = files_of(study, metric, below=0.2, above=0.2)
    assert both == ["alpha/0.wav", "alpha/1.wav", "alpha/3.wav", *sorted(others)]
    assert files_of(study, metric, failed=True) == [f"beta/{number}.wav" for number in range(4)]
    assert files_of(study, metric, low_mass=True) == ["human/0.wav"]


def test_a_rule_may_be_kept_to_a_system_or_to_traps(study: Study, metric: MetricSet) -> None:
    assert files_of(study, metric, above=0.6, system="human", role="test") == [f"human/{n}.wav" for n in range(4)]
    assert files_of(study, metric, above=0.6, role="traps") == [
        "flawed/0.wav", "flawed/1.wav", "trap-human/0.wav", "trap-human/1.wav",
    ]  # fmt: skip
    assert files_of(study, metric, failed=True, role="traps") == []


def test_held_clips_are_withdrawn_with_their_reasons_and_come_back(
    study: Study, metric: MetricSet, now: datetime
) -> None:
    wanted = Pool.objects.filter(wanted__gt=0).count()
    made = held(study, metric, now, below=0.2)
    assert out(study) == ["alpha/0.wav", "alpha/1.wav"]
    assert Pool.objects.filter(wanted__gt=0).count() < wanted
    [shown] = holds.open_holds(study.pk)
    assert [(clip.reason, recording.file) for clip, recording in shown.clips] == [
        ("0.000 is below 0.2", "alpha/0.wav"), ("0.100 is below 0.2", "alpha/1.wav"),
    ]  # fmt: skip
    assert holds.undo(hold=made, user=None, now=now) == 2
    assert out(study) == []
    assert Pool.objects.filter(wanted__gt=0).count() == wanted
    assert holds.open_holds(study.pk) == []
    with pytest.raises(Conflict):
        holds.undo(hold=made, user=None, now=now)


def test_only_the_list_that_was_shown_is_held_back(study: Study, metric: MetricSet, now: datetime) -> None:
    rule = HoldRule(metric=metric.pk, below=0.2)
    shown = holds.digest(holds.matches(study.pk, rule))
    metric.values.filter(clip__file="alpha/2.wav").update(value=0.1)
    with pytest.raises(Conflict, match="has changed"):
        holds.hold(study_id=study.pk, rule=rule, shown=shown, user=None, now=now)
    assert out(study) == []
    assert not Hold.objects.exists()


def test_a_rule_that_names_nothing_holds_nothing(study: Study, metric: MetricSet, now: datetime) -> None:
    with pytest.raises(Invalid):
        held(study, metric, now, below=-1.0)
    with pytest.raises(NotFound):
        holds.matches(study.pk + 1, HoldRule(metric=metric.pk, below=0.2))


def test_what_was_withdrawn_by_hand_is_not_brought_back_with_a_hold(
    study: Study, metric: MetricSet, now: datetime
) -> None:
    Clip.objects.filter(study=study, file="alpha/0.wav").update(withdrawn_at=now)
    made = held(study, metric, now, below=0.2)
    assert made.clips.count() == 1
    holds.undo(hold=made, user=None, now=now)
    assert out(study) == ["alpha/0.wav"]


def test_a_clip_taken_back_by_itself_is_shown_as_back(study: Study, metric: MetricSet, now: datetime) -> None:
    made = held(study, metric, now, below=0.2)
    Clip.objects.filter(study=study, file="alpha/0.wav").update(withdrawn_at=None)
    [shown] = holds.open_holds(study.pk)
    assert (len(shown.clips), shown.still) == (2, 1)
    assert holds.undo(hold=made, user=None, now=now) == 1

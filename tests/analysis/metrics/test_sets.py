"""Sets of machines' values: made, filled, described anew, removed."""

from __future__ import annotations

from datetime import datetime
from math import nan
from random import Random

import pytest
from django.test import TestCase

from analysis.metrics import queries as metrics_queries
from analysis.metrics import sets
from analysis.metrics.models import ClipMetric, MetricSet
from analysis.metrics.sets import Given
from core.errors import Invalid, NotFound
from studies.imports import changes
from studies.models import Clip
from tests.world import make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def clips(now: datetime) -> list[Clip]:
    return list(Clip.objects.filter(study=make_study(now=now, texts=2)).order_by("pk"))


@pytest.fixture
def made(clips: list[Clip], now: datetime) -> MetricSet:
    return sets.create_set(study_id=clips[0].study_id, name="UTMOS", source="import", low=1, high=5, now=now)


def test_values_are_stored_with_failures_and_details_beside_them(made: MetricSet, clips: list[Clip]) -> None:
    given = [Given(clips[0].pk, 3.5, detail={"seconds": 2.0}), Given(clips[1].pk, None, "too short")]
    assert sets.put(set_id=made.pk, values=given) == 2

    assert metrics_queries.values(made.pk) == {clips[0].pk: 3.5}
    assert metrics_queries.failures(made.pk) == {clips[1].file: "too short"}
    assert metrics_queries.details(made.pk)[0].detail == {"seconds": 2.0}
    assert metrics_queries.missing(made) == sorted(clip.file for clip in clips[2:])
    counted = metrics_queries.coverage([made], made.study_id)[made.pk]
    assert (counted.scored, counted.failed, counted.missing) == (1, 1, len(clips) - 2)


def test_the_same_values_again_change_nothing_and_newer_ones_replace_them(made: MetricSet, clips: list[Clip]) -> None:
    for value in (3.5, 3.5, 2.0):
        sets.put(set_id=made.pk, values=[Given(clips[0].pk, value)])
    assert metrics_queries.values(made.pk) == {clips[0].pk: 2.0}
    sets.put(set_id=made.pk, values=[Given(clips[0].pk, None)])
    assert metrics_queries.values(made.pk) == {}
    assert ClipMetric.objects.get().failure == "no value"


def test_kept_counts_are_what_the_values_say_whatever_came_twice_or_was_withdrawn(
    made: MetricSet, clips: list[Clip], now: datetime
) -> None:
    rng = Random(2)
    for _ in range(20):
        some = rng.sample(clips, k=4)
        sets.put(set_id=made.pk, values=[Given(clip.pk, rng.choice([None, 1.0])) for clip in some])
        made.refresh_from_db()
        values = metrics_queries.details(made.pk)
        assert made.scored == sum(value.value is not None for value in values)
        assert made.failed == len(values) - made.scored
    clips[0].withdrawn_at = now
    clips[0].save()
    known = {value.clip: value.value for value in metrics_queries.details(made.pk) if value.clip != clips[0].pk}
    counted = metrics_queries.coverage([made], made.study_id)[made.pk]
    scored = sum(value is not None for value in known.values())
    assert (counted.scored, counted.failed) == (scored, len(known) - scored)
    assert counted.missing == len(clips) - 1 - len(known)


def test_values_that_went_with_deleted_clips_are_counted_no_more(now: datetime) -> None:
    study = make_study(now=now, texts=2, launch=False)
    made = sets.create_set(study_id=study.pk, name="UTMOS", now=now)
    clips = list(study.clips.order_by("pk"))
    sets.put(set_id=made.pk, values=[Given(clip.pk, None if clip == clips[0] else 1.0) for clip in clips])
    with TestCase.captureOnCommitCallbacks(execute=True):
        changes.remove(clips=[clips[0].pk, clips[1].pk], now=now)
    made.refresh_from_db()
    assert (made.scored, made.failed) == (len(clips) - 2, 0)


def test_what_is_not_a_number_is_refused_and_nothing_is_kept(made: MetricSet, clips: list[Clip]) -> None:
    with pytest.raises(Invalid):
        sets.put(set_id=made.pk, values=[Given(clips[0].pk, 1.0), Given(clips[1].pk, nan)])
    assert metrics_queries.values(made.pk) == {}


def test_a_set_that_was_removed_meanwhile_takes_no_values(made: MetricSet, clips: list[Clip]) -> None:
    sets.remove(metric_set=MetricSet.objects.get(pk=made.pk))
    with pytest.raises(NotFound):
        sets.put(set_id=made.pk, values=[Given(clips[0].pk, 1.0)])
    assert not ClipMetric.objects.exists()


def test_a_set_that_is_being_filled_is_offered_when_it_is_finished(clips: list[Clip], now: datetime) -> None:
    study = clips[0].study_id
    filling = sets.create_set(study_id=study, name="judge", now=now, active=False)
    assert metrics_queries.sets(study) == []
    assert metrics_queries.sets(study, unfinished=True) == [filling]
    sets.finish(set_id=filling.pk)
    assert metrics_queries.sets(study) == [filling]


def test_a_set_of_another_study_is_not_found(made: MetricSet, now: datetime) -> None:
    with pytest.raises(NotFound):
        metrics_queries.metric_set(make_study(now=now, texts=1).pk, made.pk)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": " "}, "name"),
        ({"name": "n" * 101}, "name"),
        ({"direction": "sideways"}, "direction"),
        ({"low": 1.0, "high": None}, "high"),
        ({"low": None, "high": 5.0}, "low"),
        ({"low": 5.0, "high": 5.0}, "high"),
        ({"low": nan, "high": 5.0}, "high"),
    ],
)
def test_what_people_say_of_a_set_is_checked(made: MetricSet, changes: dict[str, object], field: str) -> None:
    said: dict[str, object] = {"name": "WER", "direction": "lower", "low": 0.0, "high": 1.0, **changes}
    with pytest.raises(Invalid) as caught:
        sets.describe(metric_set=made, **said)  # type: ignore[arg-type]
    assert list(caught.value.problems) == [field]
    made.refresh_from_db()
    assert (made.name, made.direction, made.low, made.high) == ("UTMOS", "higher", 1.0, 5.0)


def test_clips_and_dimensions_met_in_training_are_known_from_the_provenance(clips: list[Clip], now: datetime) -> None:
    training = {"clips": [clips[1].sha256, "0" * 64], "dimensions": ["poetry"]}
    study = clips[0].study_id
    judge = sets.create_set(study_id=study, name="judge", provenance={"training": training}, now=now)
    sets.put(set_id=judge.pk, values=[Given(clip.pk, 0.5) for clip in clips])
    assert metrics_queries.trained_on(judge) == {clips[1].pk}
    assert metrics_queries.dimensions_seen(judge) == {"poetry"}

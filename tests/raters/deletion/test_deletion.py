"""A study is deleted whole: with its people and files, and without anything that others need."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.db import transaction

from core import hooks
from core.errors import Conflict, Invalid
from raters.deletion import services
from raters.models import Batch, PlatformStudy, Rater, Session, Submission
from studies.corpus import services as corpus
from studies.launch import duplicating
from studies.models import Clip, Study
from tests.analysis.world import World
from tests.researchers import researcher
from tests.workspace.piloting import exported, make

pytestmark = pytest.mark.usefixtures("files")


@pytest.fixture
def world(db: None, files: Path, now: datetime) -> World:
    """A closed study with answers."""
    world = World(now)
    world.crowd(6)
    Batch.objects.filter(state="open").update(state="closed")
    Study.objects.update(state="closed", title="Voices", owner=researcher("rita"))
    world.study.refresh_from_db()
    return world


def names(study: Study) -> set[str]:
    return {file.name for file in hooks.named_files(study.pk)}


def test_a_closed_study_goes_with_its_people_answers_and_files(
    world: World, django_capture_on_commit_callbacks: Any
) -> None:
    exported(world.study, researcher("otto"), world.now)
    files = names(world.study)
    assert all(default_storage.exists(name) for name in files)
    with django_capture_on_commit_callbacks(execute=True):
        services.delete(study=world.study, typed="Voices")
    assert not Study.with_previews.exists()
    assert not Clip.objects.exists()
    assert not Rater.objects.exists()
    assert not any(default_storage.exists(name) for name in files)


def test_people_and_files_that_another_study_needs_stay(world: World, django_capture_on_commit_callbacks: Any) -> None:
    other = World(world.now)
    both = other.session(outcome="complete", rater=Session.objects.first().rater)  # type: ignore[union-attr]
    copy = duplicating.duplicate(study=world.study, slug="copy", owner=None, now=world.now)
    shared = names(copy)
    with django_capture_on_commit_callbacks(execute=True):
        services.delete(study=world.study, typed=world.study.slug)
    assert list(Rater.objects.all()) == [both.rater]
    assert names(copy) == shared
    assert all(default_storage.exists(name) for name in shared)
    assert duplicating.origin_of(Study.objects.get(pk=copy.pk)) is None


def test_a_study_with_answers_needs_its_typed_name(world: World) -> None:
    with pytest.raises(Invalid, match=world.study.slug):
        services.delete(study=world.study, typed="yes")
    assert Study.objects.filter(pk=world.study.pk).exists()


def test_a_launched_study_needs_its_name_though_nobody_came(db: None, now: datetime) -> None:
    study = World(now).study
    Study.objects.update(state="closed")
    with pytest.raises(Invalid):
        services.delete(study=study)


def test_a_draft_without_answers_needs_no_name(db: None, now: datetime) -> None:
    study = World(now, {"launch": False}).study
    corpus.add(study=study, name="t1", values={"body": "One."}, author=None, now=now)
    services.delete(study=study)
    assert not Study.objects.exists()


def test_a_draft_with_a_pilot_needs_its_name_and_takes_the_pilot_along(db: None, now: datetime) -> None:
    piloted = make(now)
    piloted.pilot.session(outcome="complete")
    with pytest.raises(Conflict, match="Close the study first"):
        services.delete(study=piloted.draft.study, typed=piloted.draft.study.slug)
    Study.objects.filter(pk=piloted.pilot.study.pk).update(state="closed")
    Study.objects.filter(pk=piloted.draft.study.pk).update(state="draft")
    with pytest.raises(Invalid):
        services.delete(study=piloted.draft.study)
    services.delete(study=piloted.draft.study, typed=piloted.draft.study.slug)
    assert not Study.objects.exists()
    assert not Rater.objects.exists()


@pytest.mark.parametrize("state", ["live", "paused"])
def test_a_study_that_collects_is_not_deleted(world: World, state: str) -> None:
    Study.objects.update(state=state)
    with pytest.raises(Conflict, match="Close the study first"):
        services.delete(study=world.study, typed=world.study.slug)


def test_a_study_with_open_payments_or_active_raters_is_not_deleted(world: World) -> None:
    session = Session.objects.order_by("pk")[0]
    platform = PlatformStudy.objects.create(study=world.study, ext_study="ext", added_at=world.now)
    row = Submission.objects.create(
        platform=platform, ext_session="s1", session=session, state="awaiting_review", seen_at=world.now
    )
    with pytest.raises(Conflict, match="Submissions to decide: 1; open lists: 0"):
        services.delete(study=world.study, typed=world.study.slug)
    row.delete()
    Batch.objects.filter(pk=Batch.objects.order_by("pk")[0].pk).update(state="open")
    with pytest.raises(Conflict, match="still taking part"):
        services.delete(study=world.study, typed=world.study.slug)
    assert Rater.objects.exists()


def test_files_stay_when_the_deletion_is_rolled_back(world: World, django_capture_on_commit_callbacks: Any) -> None:
    files = names(world.study)
    with django_capture_on_commit_callbacks(execute=True):
        point = transaction.savepoint()
        services.delete(study=world.study, typed=world.study.slug)
        transaction.savepoint_rollback(point)
    assert world.study.clips.count() == 48
    assert all(default_storage.exists(name) for name in files)

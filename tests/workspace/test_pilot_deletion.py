"""A pilot is deleted with all its data, and takes nothing that others need; files are shared both ways."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.urls import reverse

from core import hooks
from core.errors import Conflict, Invalid
from raters.models import Batch, PlatformStudy, Rater, Session, Submission
from raters.pilots import services
from studies.imports import changes
from studies.launch import pilots
from studies.members.models import Member
from studies.models import Study
from tests.analysis.world import World
from tests.researchers import logged_in, researcher, text
from tests.workspace.piloting import Pilot, exported, make


@pytest.fixture
def world(db: None, files: Path, now: datetime) -> Pilot:
    """A draft with a pilot that is running."""
    return make(now)


def names(study: Study) -> set[str]:
    return {name for pair in study.clips.values_list("original", "rendition") for name in pair}


def test_files_of_a_pilot_survive_the_deletion_of_the_study_s_clips(
    world: Pilot, django_capture_on_commit_callbacks: Any
) -> None:
    shared = names(world.draft.study)
    assert shared == names(world.pilot.study)
    with django_capture_on_commit_callbacks(execute=True):
        changes.remove(clips=list(world.draft.study.clips.values_list("pk", flat=True)), now=world.draft.now)
    assert not world.draft.study.clips.exists()
    assert all(default_storage.exists(name) for name in shared)
    pilots.end(study=world.draft.study)
    with django_capture_on_commit_callbacks(execute=True):
        services.delete(study=world.draft.study, number=1, typed=world.pilot.study.slug)
    assert not any(default_storage.exists(name) for name in shared)


def test_files_of_the_study_survive_the_deletion_of_its_pilot_and_the_pilot_s_own_go(
    world: Pilot, django_capture_on_commit_callbacks: Any
) -> None:
    world.pilot.crowd(6)
    exported(world.pilot.study, world.rita, world.draft.now)
    shared = names(world.draft.study)
    own = {file.name for file in hooks.named_files(world.pilot.study.pk)} - shared
    assert own
    pilots.end(study=world.draft.study)
    Batch.objects.filter(state="open").update(state="closed")
    with django_capture_on_commit_callbacks(execute=True):
        services.delete(study=world.draft.study, number=1, typed=world.pilot.study.slug)
    assert all(default_storage.exists(name) for name in shared)
    assert not any(default_storage.exists(name) for name in own)
    assert not Session.objects.exists()
    assert not Rater.objects.exists()
    assert world.draft.study.clips.count() == 48


def test_deleting_a_pilot_leaves_people_who_took_part_elsewhere(world: Pilot) -> None:
    other = World(world.draft.now)
    both = world.pilot.session(outcome="complete").rater
    other.session(outcome="complete", rater=both)
    pilots.end(study=world.draft.study)
    services.delete(study=world.draft.study, number=1, typed=world.pilot.study.slug)
    assert list(Rater.objects.all()) == [both]
    assert Session.objects.get().study == other.study


def test_a_pilot_is_deleted_only_after_its_end_by_its_typed_address(world: Pilot) -> None:
    draft, pilot = world.draft.study, world.pilot.study
    with pytest.raises(Conflict, match="is running"):
        services.delete(study=draft, number=1, typed=pilot.slug)
    pilots.end(study=draft)
    with pytest.raises(Invalid, match=pilot.slug):
        services.delete(study=draft, number=1, typed="yes")
    assert Study.objects.filter(pk=pilot.pk).exists()
    editor = researcher("edda")
    Member.objects.create(study=draft, user=editor, role="editor", added_at=world.draft.now)
    address = reverse("workspace:delete_pilot", args=[draft.slug, 1])
    assert logged_in(editor).post(address, {"typed": pilot.slug}).status_code == 403
    assert logged_in(world.rita).post(address, {"typed": pilot.slug}).status_code == 302
    assert not Study.objects.filter(pk=pilot.pk).exists()
    assert logged_in(world.rita).get(reverse("workspace:overview", args=[pilot.slug])).status_code == 404


def test_a_pilot_with_open_payments_is_not_deleted(world: Pilot) -> None:
    draft, pilot, now = world.draft.study, world.pilot.study, world.draft.now
    session = world.pilot.session(outcome="complete")
    platform = PlatformStudy.objects.create(study=pilot, ext_study="ext", added_at=now)
    row = Submission.objects.create(
        platform=platform, ext_session="s1", session=session, state="awaiting_review", seen_at=now
    )
    pilots.end(study=draft)
    home = text(logged_in(world.rita).get(reverse("workspace:home")))
    assert "1 submission to review" in home
    assert str(pilot) in home
    with pytest.raises(Conflict, match="Submissions to decide: 1; open lists: 0"):
        services.delete(study=draft, number=1, typed=pilot.slug)
    assert Submission.objects.exists()
    row.state = "approved"
    row.save()
    services.delete(study=draft, number=1, typed=pilot.slug)
    assert not Submission.objects.exists()

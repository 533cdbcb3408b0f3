"""Traps of another study: copied with recording, role, label and text, by those who may change that study."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from core.files import storage
from studies.imports import changes, requests
from studies.members.models import Member
from studies.models import Clip, ClipImport, Study, Text
from tests import audio
from tests.researchers import logged_in, researcher
from tests.studies.imports.helpers import done, draft

pytestmark = pytest.mark.django_db
TEST = {"file": "a/1.wav", "system": "alpha", "role": "test", "text_id": "t1", "text": "One."}
FLAWED = {"file": "f/1.wav", "system": "flawed", "role": "trap_flawed", "text_id": "t1", "text": "One.", "voice": "LJ"}
HUMAN = {
    "file": "h/1.wav",
    "system": "human",
    "role": "trap_human",
    "text_id": "t2",
    "text": "Two.",
    "dimension": "news",
}
PLAIN = {"file": "h/2.wav", "system": "human", "role": "trap_human"}
ROWS = [TEST, FLAWED, HUMAN, PLAIN]
SOUNDS = {row["file"]: audio.wav(0.5 + seed / 10, seed=seed) for seed, row in enumerate(ROWS)}


@pytest.fixture
def origin(files: Path, tmp_path: Path, now: datetime) -> Study:
    """Return a launched study with three traps that its owner rita may change."""
    study = Study.objects.create(slug="older", title="Older", draft=draft(), owner=researcher("rita"))
    manifest = audio.write_folder(tmp_path / "clips", ROWS, SOUNDS)
    requests.import_folder(study=study, manifest_path=manifest, root=manifest.parent, now=lambda: now)
    return study


@pytest.fixture
def rita(study: Study, origin: Study) -> Client:
    """Return the browser of the owner of both studies."""
    Study.objects.filter(pk=study.pk).update(owner=origin.owner)
    assert origin.owner is not None
    return logged_in(origin.owner)


def page(client: Client, study: Study) -> str:
    return client.get(reverse("studies:clips", args=[study.slug])).content.decode()


def take(client: Client, study: Study, origin: str = "older") -> Any:
    return client.post(reverse("studies:copy_traps", args=[study.slug]), {"origin": origin})


def taken(study: Study) -> dict[str, Clip]:
    return {clip.file: clip for clip in study.clips.select_related("system", "text")}


def test_the_page_copies_the_traps_with_recordings_roles_labels_and_texts(
    study: Study, origin: Study, rita: Client, now: datetime
) -> None:
    assert "Older (older): 3 traps" in page(rita, study)
    job = ClipImport.objects.get(study=study) if take(rita, study).status_code == 302 else None
    assert job is not None
    assert done(job, now).clips_added == 3, job.report
    assert job.manifest_name == "Traps of older"
    clips = taken(study)
    assert {file: clip.role for file, clip in clips.items()} == {
        "older/f/1.wav": "trap_flawed",
        "older/h/1.wav": "trap_human",
        "older/h/2.wav": "trap_human",
    }
    first, second = clips["older/f/1.wav"], clips["older/h/1.wav"]
    assert (first.system.name, first.voice, first.text and first.text.body) == ("flawed", "LJ", "One.")
    assert (second.dimension, second.text and second.text.name) == ("news", "t2")
    for file, clip in clips.items():
        theirs = origin.clips.get(file=file.removeprefix("older/"))
        assert storage.open_file(clip.original).read() == storage.open_file(theirs.original).read()
        assert clip.content_sha256 == theirs.content_sha256
    history = rita.get(reverse("studies:history", args=[study.slug])).content.decode()
    assert "Traps were copied from older." in history


def test_copies_stay_if_the_clips_of_the_origin_are_deleted(
    study: Study, origin: Study, rita: Client, now: datetime
) -> None:
    take(rita, study)
    done(ClipImport.objects.get(study=study), now)
    changes.remove(clips=list(origin.clips.values_list("pk", flat=True)), now=now)
    assert all(storage.open_file(clip.rendition).read() for clip in taken(study).values())


def test_labels_for_attention_checks_come_along(study: Study, origin: Study, now: datetime) -> None:
    Clip.objects.filter(study=origin, file="h/2.wav").update(expected="4..", extra={"note": "clear"})
    call_command("import_clips", "one", "--traps-from", "older")
    clip = taken(study)["older/h/2.wav"]
    assert (clip.expected, clip.extra) == ("4..", {"note": "clear"})


def test_copied_again_the_traps_are_kept_as_they_are(study: Study, rita: Client, now: datetime) -> None:
    for added in (3, 0):
        take(rita, study)
        assert done(ClipImport.objects.filter(study=study).latest("pk"), now).clips_added == added
    assert len(taken(study)) == 3
    assert "nothing imported: 3 files left out" in page(rita, study)


def test_a_text_of_the_same_name_with_other_words_gets_the_origins_address(study: Study, origin: Study) -> None:
    Text.objects.create(study=study, name="t1", body="Another one.")
    Text.objects.create(study=study, name="t2", body="Two.")
    call_command("import_clips", "one", "--traps-from", "older")
    names = {file: clip.text and clip.text.name for file, clip in taken(study).items()}
    assert names == {"older/f/1.wav": "older/t1", "older/h/1.wav": "t2", "older/h/2.wav": None}


def test_withdrawn_traps_are_left_out_and_without_any_the_command_says_so(
    study: Study, origin: Study, now: datetime
) -> None:
    traps = Clip.objects.filter(study=origin).exclude(role="test")
    changes.withdraw(clips=list(traps.exclude(file="h/2.wav").values_list("pk", flat=True)), now=now)
    call_command("import_clips", "one", "--traps-from", "older")
    assert set(taken(study)) == {"older/h/2.wav"}
    Study.objects.create(slug="one-b", title="Empty", draft=draft())
    with pytest.raises(CommandError, match="The study one-b has no traps"):
        call_command("import_clips", "one", "--traps-from", "one-b")
    with pytest.raises(CommandError, match="There is no study"):
        call_command("import_clips", "one", "--traps-from", "nowhere")


@pytest.mark.parametrize("role", [None, "viewer"])
def test_traps_of_studies_that_a_person_may_not_change_are_neither_offered_nor_copied(
    study: Study, origin: Study, role: str | None, now: datetime
) -> None:
    other = researcher("otto")
    Study.objects.filter(pk=study.pk).update(owner=other)
    if role:
        Member.objects.create(study=origin, user=other, role=role, added_at=now)
    client = logged_in(other)
    assert "Older" not in page(client, study)
    take(client, study)
    assert "Choose a study that has traps and that you may change." in page(client, study)
    assert not ClipImport.objects.filter(study=study).exists()


def test_a_viewer_of_the_study_copies_nothing_into_it(study: Study, origin: Study, now: datetime) -> None:
    assert origin.owner is not None
    Study.objects.filter(pk=study.pk).update(owner=researcher("otto"))
    Member.objects.create(study=study, user=origin.owner, role="viewer", added_at=now)
    assert "Traps of another study" not in page(logged_in(origin.owner), study)
    assert take(logged_in(origin.owner), study).status_code == 403


def test_a_task_without_traps_is_offered_none(study: Study, rita: Client) -> None:
    Study.objects.filter(pk=study.pk).update(draft=draft("mushra"))
    assert "Traps of another study" not in page(rita, study)
    take(rita, study)
    assert not ClipImport.objects.filter(study=study).exists()


def test_an_import_from_a_study_that_was_deleted_meanwhile_says_so(
    study: Study, origin: Study, rita: Client, now: datetime
) -> None:
    take(rita, study)
    job = ClipImport.objects.get(study=study)
    ClipImport.objects.filter(pk=job.pk).update(traps_of=origin.pk + 1000)
    assert [line["reason"] for line in done(job, now).report] == [
        "The study whose traps were to be copied was deleted."
    ]

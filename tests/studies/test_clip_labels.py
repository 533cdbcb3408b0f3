"""Corrections in the table of clips: labels of one or many clips, deleting, restoring, and Undo."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from studies.models import Clip, Study, StudyAudit, System, Text
from studies.task_types.base import ItemLayout, Trouble
from tests.researchers import logged_in, researcher, text, url
from tests.world import make_study

LABELS = ("role", "system__name", "text__name", "voice", "dimension")


@pytest.fixture
def study(db: None, files: Path, now: datetime) -> Study:
    made = make_study(now=now, launch=False, dimensions=("news", "chat"))
    Study.objects.filter(pk=made.pk).update(owner=researcher("rita"))
    made.refresh_from_db()
    return made


@pytest.fixture
def rita(study: Study) -> Client:
    assert study.owner
    return logged_in(study.owner)


def keys(study: Study, **filters: Any) -> list[int]:
    return list(study.clips.filter(**filters).order_by("pk").values_list("pk", flat=True))


def labels(study: Study) -> dict[int, tuple[Any, ...]]:
    return {row[0]: row[1:] for row in study.clips.order_by("pk").values_list("pk", *LABELS, "withdrawn_at")}


def send(rita: Client, study: Study, do: str, query: str = "", **fields: Any) -> str:
    return text(rita.post(url("clip_labels", study.slug) + query, {"do": do, **fields}, follow=True))


def test_the_selected_clips_get_the_labels_and_empty_fields_change_nothing(study: Study, rita: Client) -> None:
    chosen, before = keys(study, system__name="alpha")[:3], labels(study)
    shown = send(rita, study, "change", clip=chosen, system="gamma", dimension="poetry")
    assert "The labels of 3 clips were changed: system = gamma, dimension = poetry." in shown
    after = labels(study)
    for pk, old in before.items():
        expected = (old[0], "gamma", *old[2:4], "poetry", old[5]) if pk in chosen else old
        assert after[pk] == expected
    # As after an import, the audit is of what is there now.
    assert StudyAudit.objects.filter(study=study, state="queued").exists()
    assert "system = gamma" in LogEntry.objects.latest("pk").get_change_message()
    send(rita, study, "undo")
    assert labels(study) == before
    assert "There is no change to undo." in send(rita, study, "undo")


def test_undo_restores_clips_that_had_different_labels(study: Study, rita: Client) -> None:
    before = labels(study)
    send(rita, study, "change", "?role=trap_human&page=2", all="1", voice="one")
    assert set(study.clips.filter(voice="one").values_list("role", flat=True)) == {"trap_human"}
    assert study.clips.filter(voice="one").count() == study.clips.filter(role="trap_human").count()
    send(rita, study, "undo")
    assert labels(study) == before


def test_undo_is_refused_if_the_clips_changed_since(study: Study, rita: Client) -> None:
    [pk, *_more] = keys(study, system__name="alpha")
    send(rita, study, "change", clip=[pk], voice="one")
    study.clips.filter(pk=pk).update(voice="two")
    changed = labels(study)
    assert "Nothing was undone." in send(rita, study, "undo")
    assert labels(study) == changed


def test_one_clip_is_corrected_in_its_row_and_its_fields_can_be_emptied(study: Study, rita: Client) -> None:
    clip = study.clips.get(file="alpha/3.wav")
    shown = text(rita.get(url("clips", study.slug), {"edit": clip.pk, "sort": "file"}))
    assert 'name="do" value="edit"' in shown
    assert 'value="alpha-voice"' in shown
    fields = {"role": "test", "system": "alpha", "text": clip.text and clip.text.name, "voice": "", "dimension": "new"}
    send(rita, study, "edit", clip=clip.pk, **fields)
    clip.refresh_from_db()
    assert (clip.voice, clip.dimension) == ("", "new")
    refused = send(rita, study, "edit", clip=clip.pk, **{**fields, "system": "", "voice": "kept"})
    assert "This field is required." in refused
    assert 'value="kept"' in refused
    clip.refresh_from_db()
    assert (clip.system.name, clip.voice) == ("alpha", "")


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"system": "x" * 101}, "at most 100 characters"),
        ({"voice": "a\x07b"}, "control character"),
        ({"role": "chief"}, "not one of the available choices"),
        ({}, "Choose at least one label to change."),
    ],
)
def test_an_error_is_shown_and_nothing_changes(study: Study, rita: Client, fields: dict[str, str], reason: str) -> None:
    before, systems = labels(study), System.objects.count()
    [pk] = keys(study, file="alpha/3.wav")
    refused = send(rita, study, "change", clip=[pk], **fields)
    assert reason in refused
    assert f'value="{pk}" form="change-clips" checked' in refused
    assert (labels(study), System.objects.count()) == (before, systems)


def test_labels_that_the_task_cannot_use_are_refused_with_the_clip(
    study: Study, rita: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, texts = labels(study), Text.objects.count()
    clip = study.clips.get(file="alpha/3.wav")

    def planned(study: Study) -> ItemLayout:
        is_changed = study.clips.filter(text__name="other").exists()
        old = Trouble("An old problem.", None)
        return ItemLayout((), (old, Trouble("No text of its own.", clip.pk)) if is_changed else (old,))

    monkeypatch.setattr("studies.imports.labelling.checked", planned)
    refused = send(rita, study, "change", clip=[clip.pk], text="other")
    assert "alpha/3.wav: No text of its own." in refused
    assert "An old problem." not in refused
    assert (labels(study), Text.objects.count()) == (before, texts)


def test_deleted_clips_can_be_restored_by_undo_or_later_or_deleted_for_good(study: Study, rita: Client) -> None:
    before, chosen = labels(study), keys(study, system__name="alpha")[:2]
    assert "2 clips were deleted." in send(rita, study, "delete", clip=chosen)
    assert study.clips.exclude(withdrawn_at=None).count() == 2
    send(rita, study, "undo")
    assert labels(study) == before
    send(rita, study, "delete", clip=chosen)
    assert "1 clip was restored." in send(rita, study, "restore", "?show=withdrawn", clip=chosen[:1])
    # Only a deleted clip is removed, whatever was selected.
    assert "1 clip was permanently deleted." in send(rita, study, "remove", "?show=withdrawn", clip=chosen)
    assert {*before} - {*labels(study)} == {chosen[1]}
    assert "There is no change to undo." in send(rita, study, "undo")


def test_nothing_changes_after_the_launch_without_clips_or_in_another_study(
    study: Study, rita: Client, now: datetime
) -> None:
    other = make_study(now=now)
    before = labels(study), labels(other)
    assert "No clip is selected." in send(rita, study, "change", voice="one")
    assert "No clip is selected." in send(rita, study, "delete", clip=keys(other)[:2])
    Study.objects.filter(pk=other.pk).update(owner=study.owner)
    for do in ("change", "delete", "restore", "remove"):
        assert "was launched" in send(rita, other, do, clip=keys(other)[:2], voice="one")
    assert (labels(study), labels(other)) == before
    assert 'id="change-clips"' not in text(rita.get(url("clips", other.slug)))
    assert 'id="change-clips"' in text(rita.get(url("clips", study.slug)))
    Clip.objects.filter(study=study).update(withdrawn_at=now)
    assert 'value="remove"' in text(rita.get(url("clips", study.slug), {"show": "withdrawn"}))

"""In a draft, new clips take the place of those of the same name, and the report says which."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from core import jobs
from core.errors import Conflict
from core.files import storage
from studies.models import Clip, ClipImport, Study
from tests import audio
from tests.studies.imports.helpers import FILES, ROWS, by_list, done

pytestmark = pytest.mark.django_db
Send = Callable[..., ClipImport]
NEW = {name: audio.wav(0.9, seed=seed) for seed, name in enumerate(FILES, start=20)}
RELABELLED = [{**ROWS[0], "voice": "Anna"}, {**ROWS[1], "system": "beta"}, ROWS[2]]


def notes(job: ClipImport) -> list[str]:
    return [line["file"] for line in job.report if "replaced it" in line["reason"]]


def test_new_audio_and_labels_take_the_place_and_the_old_clips_are_deleted(
    study: Study, send: Send, now: datetime
) -> None:
    done(send(), now)
    before = dict(study.clips.values_list("file", "sha256"))
    job = done(send(RELABELLED, NEW, choices={"replaces_known": True}), now)
    assert (job.state, job.clips_added, job.refusals, job.left_out) == (jobs.DONE, 3, 0, 0)
    assert sorted(notes(job)) == sorted(FILES)
    clips = study.clips.filter(withdrawn_at=None).values_list("file", "system__name", "voice")
    assert set(clips) == {("h/1.wav", "human", "Anna"), ("a/1.flac", "beta", "v"), ("f/1.wav", "flawed", "")}
    old = study.clips.exclude(withdrawn_at=None)
    assert dict(old.values_list("file", "sha256")) == {
        "h/1-2.wav": before["h/1.wav"],
        "a/1-2.flac": before["a/1.flac"],
        "f/1-2.wav": before["f/1.wav"],
    }
    with storage.open_file(old[0].original) as file:
        assert file.read(4)


def test_a_third_import_finds_another_free_name_and_new_clips_are_only_added(
    study: Study, send: Send, now: datetime
) -> None:
    done(send(), now)
    done(send(choices={"replaces_known": True}), now)
    more = {**ROWS[0], "file": "h/1-2.wav", "text_id": "t9", "text": ""}
    job = done(send([ROWS[0], more], {**FILES, "h/1-2.wav": audio.wav(0.5)}, choices={"replaces_known": True}), now)
    assert sorted(notes(job)) == ["h/1-2.wav", "h/1.wav"]
    names = study.clips.filter(file__startswith="h/").order_by("file").values_list("file", "withdrawn_at")
    assert [(name, at is None) for name, at in names] == [
        ("h/1-2-2.wav", False),
        ("h/1-2.wav", True),
        ("h/1-3.wav", False),
        ("h/1.wav", True),
    ]


def test_a_file_that_cannot_be_read_replaces_nothing(study: Study, send: Send, now: datetime) -> None:
    done(send(), now)
    before = study.clips.get(file="h/1.wav").pk
    job = done(send(contents={**NEW, "h/1.wav": b"RIFF"}, choices={"leaves_out": True, "replaces_known": True}), now)
    assert (job.clips_added, job.left_out) == (2, 1)
    assert sorted(notes(job)) == ["a/1.flac", "f/1.wav"]
    assert study.clips.get(file="h/1.wav", withdrawn_at=None).pk == before


def test_other_words_of_a_text_are_still_refused(study: Study, send: Send, now: datetime) -> None:
    done(send(), now)
    job = done(send([{**ROWS[0], "text": "Two."}], NEW, choices={"replaces_known": True}), now)
    assert by_list(job) == [("manifest", 2, "text")]
    assert not study.clips.exclude(withdrawn_at=None).exists()


def test_nothing_is_replaced_after_the_launch(study: Study, send: Send, now: datetime) -> None:
    done(send(), now)
    waiting = send(contents=NEW, choices={"replaces_known": True})
    Study.objects.filter(pk=study.pk).update(state=Study.State.LIVE)
    study.refresh_from_db()
    with pytest.raises(Conflict, match="can’t be replaced any more"):
        send(contents=NEW, choices={"replaces_known": True})
    job = done(waiting, now)
    assert (job.clips_added, job.refusals) == (0, 1)
    assert set(study.clips.values_list("file", "withdrawn_at")) == {(name, None) for name in FILES}


def test_the_command_replaces_if_told_to(study: Study, tmp_path: Path, capsys: Any) -> None:
    manifest = audio.write_folder(tmp_path, ROWS, FILES)
    arguments = ("import_clips", "one", "--manifest", str(manifest))
    call_command(*arguments)
    call_command(*arguments, "--replace-known")
    assert "this one replaced it" in " ".join(capsys.readouterr().out.split())
    assert Clip.objects.filter(study=study, withdrawn_at=None).count() == 3
    with pytest.raises(CommandError, match="not allowed with"):
        call_command(*arguments, "--replace-known", "--skip-known")

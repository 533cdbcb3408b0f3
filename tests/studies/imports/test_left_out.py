"""One bad file, or a clip that is there already, doesn't stop the others."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse

from core import jobs
from studies.models import Clip, ClipImport, Study
from tests import audio
from tests.researchers import logged_in, researcher, text
from tests.studies.imports.helpers import FILES, ROWS, assert_nothing_was_taken, by_list, done

pytestmark = pytest.mark.django_db
Send = Callable[..., ClipImport]
SILENT = audio.encoded(np.zeros((16000, 1)))
BAD = {**FILES, "a/1.flac": FILES["a/1.flac"][:200], "f/1.wav": SILENT}


def left_out(job: ClipImport) -> list[str]:
    return [line["file"] for line in job.report if line.get("left_out")]


def test_files_that_cannot_be_read_are_listed_and_the_others_imported(study: Study, send: Send, now: datetime) -> None:
    job = done(send(contents=BAD, choices={"leaves_out": True}), now)
    assert (job.state, job.clips_added, job.refusals, job.left_out) == (jobs.DONE, 1, 0, 2)
    assert left_out(job) == ["a/1.flac", "f/1.wav"]
    assert list(study.clips.values_list("file", flat=True)) == ["h/1.wav"]


def test_without_the_choice_one_bad_file_refuses_everything(
    study: Study, send: Send, now: datetime, files: Path
) -> None:
    job = done(send(contents=BAD), now)
    assert (job.clips_added, job.refusals, job.left_out) == (0, 2, 0)
    assert_nothing_was_taken(study, files)


def test_if_no_file_can_be_read_the_import_is_refused(study: Study, send: Send, now: datetime, files: Path) -> None:
    job = done(send(contents=dict.fromkeys(FILES, SILENT), choices={"leaves_out": True}), now)
    assert (job.clips_added, job.refusals, job.left_out) == (0, 3, 0)
    assert_nothing_was_taken(study, files)


def test_a_mistake_in_the_table_still_refuses_everything(study: Study, send: Send, now: datetime, files: Path) -> None:
    rows = [ROWS[0], {**ROWS[1], "role": "tset"}, ROWS[2]]
    job = done(send(rows, BAD, choices={"leaves_out": True, "skips_known": True}), now)
    assert by_list(job) == [("manifest", 3, "role")]
    assert_nothing_was_taken(study, files)


def test_clips_that_are_there_already_are_kept_and_new_ones_added(study: Study, send: Send, now: datetime) -> None:
    done(send(), now)
    before = {clip.file: clip.sha256 for clip in study.clips.all()}
    new = [{**ROWS[0], "file": "h/2.wav", "text_id": "t2", "text": "Two."}]
    contents = {name: audio.wav(0.9, seed=9) for name in [*FILES, "h/2.wav"]}
    job = done(send([*ROWS, *new], contents, choices={"skips_known": True}), now)
    assert (job.clips_added, job.refusals, job.left_out) == (1, 0, 3)
    after = {clip.file: clip.sha256 for clip in study.clips.all()}
    assert after == {**before, "h/2.wav": after["h/2.wav"]}


def test_the_same_clips_again_add_nothing_and_say_so(study: Study, send: Send, now: datetime) -> None:
    done(send(), now)
    owner = researcher("rita")
    Study.objects.filter(pk=study.pk).update(owner=owner)
    job = done(send(choices={"skips_known": True}), now)
    assert (job.state, job.clips_added, job.refusals) == (jobs.DONE, 0, 0)
    page = text(logged_in(owner).get(reverse("studies:import", args=[study.slug, job.pk])))
    assert "Nothing was added: the study has all of these clips already." in page


def test_the_page_names_what_was_left_out_once_with_its_files(study: Study, send: Send, now: datetime) -> None:
    done(send(), now)
    owner = researcher("rita")
    Study.objects.filter(pk=study.pk).update(owner=owner)
    job = done(send(ROWS), now)
    page = text(logged_in(owner).get(reverse("studies:import", args=[study.slug, job.pk])))
    assert page.count("The study already has a clip of this name.") == 1
    assert all(name in page for name in FILES)


def test_the_page_asks_about_known_clips_only_where_there_are_clips(study: Study, send: Send, now: datetime) -> None:
    owner = researcher("rita")
    Study.objects.filter(pk=study.pk).update(owner=owner)
    client, address = logged_in(owner), reverse("studies:clips", args=[study.slug])
    assert client.get(address).content.decode().count('name="known"') == 1
    done(send(), now)
    assert client.get(address).content.decode().count('name="known"') == 3


def test_the_page_sends_its_choices(study: Study, now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.nudge._send", lambda task, pk: None)
    owner = researcher("rita")
    Study.objects.filter(pk=study.pk).update(owner=owner)
    client, address = logged_in(owner), reverse("studies:clips", args=[study.slug])
    for chosen in ({}, {"leaves_out": "on", "known": "keep"}, {"known": "replace"}, {"known": "stop"}):
        sent: dict[str, Any] = {
            "archive": SimpleUploadedFile("clips.zip", audio.zipped(BAD)),
            "manifest": SimpleUploadedFile("clips.csv", audio.manifest(ROWS)),
        }
        client.post(address, {**sent, **chosen})
    choices = list(ClipImport.objects.order_by("pk").values_list("leaves_out", "skips_known", "replaces_known"))
    assert choices == [(False, False, False), (True, True, False), (False, False, True), (False, False, False)]


def test_the_command_skips_what_is_bad_or_known_if_told_to(study: Study, tmp_path: Path, capsys: Any) -> None:
    manifest = audio.write_folder(tmp_path, ROWS, BAD)
    arguments = ("import_clips", "one", "--manifest", str(manifest))
    with pytest.raises(CommandError, match="Nothing was imported"):
        call_command(*arguments)
    call_command(*arguments, "--skip-bad")
    assert "Imported 1 clips into one. Left out: 2." in capsys.readouterr().out
    audio.write_folder(tmp_path, ROWS, FILES)
    with pytest.raises(CommandError, match="Nothing was imported"):
        call_command(*arguments)
    call_command(*arguments, "--skip-known")
    assert "Imported 2 clips into one. Left out: 1." in capsys.readouterr().out
    assert Clip.objects.filter(study=study).count() == 3

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from core import jobs
from core.errors import Invalid
from core.files import storage
from studies.imports import publishing, requests
from studies.launch.states import launch
from studies.models import Clip, ClipImport, Item, Pool, Study
from studies.pool.layout import ClipsUnfit
from studies.task_types.base import Trouble
from studies.tasks import import_clips
from tests import audio
from tests.studies.imports.helpers import FILES, LATE, ROWS, assert_nothing_was_taken, done, draft, refusals, stored

pytestmark = pytest.mark.django_db


def test_an_archive_becomes_clips(study: Study, send: Callable[..., ClipImport], now: datetime, files: Path) -> None:
    job = send()
    assert (job.state, job.queued_at, job.archive_name) == (jobs.QUEUED, now, "clips.zip")
    job = done(job, now)
    assert (job.state, job.clips_added, job.done, job.total, job.percent) == (jobs.DONE, 3, 3, 3, 100)
    assert (job.report, job.error) == ([], "")
    clip = Clip.objects.select_related("system", "text").get(study=study, file="h/1.wav")
    assert (clip.system.name, clip.role, clip.voice, clip.duration) == ("human", "test", "LJ", 1.0)
    assert clip.text is not None
    assert (clip.text.name, clip.text.body) == ("t1", "One.")
    assert clip.loudness is not None
    assert clip.gain == pytest.approx(-23 - clip.loudness, abs=0.2)
    with storage.open_file(clip.original) as file:
        assert file.read() == FILES["h/1.wav"]
    with storage.open_file(clip.rendition) as file:
        assert len(file.read()) == clip.rendition_bytes == 44 + 2 * 16000


def test_the_upload_is_gone_afterwards_and_stored_names_say_nothing(
    send: Callable[..., ClipImport], now: datetime, files: Path
) -> None:
    job = done(send(), now)
    assert (job.manifest, job.archive) == ("", "")
    assert len(stored(files)) == 6
    assert not any(word in str(path.relative_to(files)) for path in stored(files) for word in ("wav", "human", "1."))


def test_one_bad_clip_refuses_the_whole_and_every_problem_is_told(
    study: Study, send: Callable[..., ClipImport], now: datetime, files: Path
) -> None:
    rows = [
        *ROWS,
        {"file": "bad.wav", "system": "alpha", "role": "test"},
        {"file": "gone.wav", "system": "alpha", "role": "test"},
        {"file": "h/1.wav", "system": "alpha", "role": "test"},
        {"file": "c.wav", "system": "", "role": "tset"},
    ]
    job = done(send(rows, {**FILES, "bad.wav": FILES["h/1.wav"][:9000], "extra.wav": b"x"}), now)
    assert (job.state, job.clips_added, job.error) == (jobs.DONE, 0, "")
    assert [line[:3] for line in refusals(job)] == [
        (5, "bad.wav", "file"),
        (6, "gone.wav", "file"),
        (7, "h/1.wav", "file"),
        (8, "c.wav", "system"),
        (8, "c.wav", "role"),
    ]
    assert [line["file"] for line in job.report if line["warning"]] == ["extra.wav"]
    assert_nothing_was_taken(study, files)


def test_a_refused_import_can_be_corrected_and_sent_again(
    study: Study, send: Callable[..., ClipImport], now: datetime
) -> None:
    assert done(send(contents={**FILES, "h/1.wav": b""}), now).clips_added == 0
    assert done(send(), now).clips_added == 3


@pytest.mark.parametrize(
    ("upload", "word"),
    [
        ({"manifest": b"file,sytem,role\n"}, "meant as system"),
        ({"archive": b"no archive"}, "ZIP"),
        ({"archive": audio.zipped({"../h/1.wav": b"x"})}, "leaves its folder"),
    ],
)
def test_a_hopeless_upload_ends_in_a_report(
    upload: dict[str, bytes], word: str, study: Study, send: Callable[..., ClipImport], now: datetime, files: Path
) -> None:
    job = done(send(**upload), now)
    assert job.state == jobs.DONE
    assert any(word in line[3] for line in refusals(job))
    assert_nothing_was_taken(study, files)


def test_a_warning_refuses_nothing(send: Callable[..., ClipImport], now: datetime) -> None:
    rows = [*ROWS, {"file": "copy.wav", "system": "alpha", "role": "test"}]
    job = done(send(rows, {**FILES, "copy.wav": FILES["h/1.wav"]}), now)
    assert job.clips_added == 4
    assert "same bytes as h/1.wav (row 2)" in job.report[0]["reason"]


def test_clips_that_the_study_has_already_are_refused(
    study: Study, send: Callable[..., ClipImport], now: datetime
) -> None:
    done(send(), now)
    rows = [
        {"file": "H/1.wav", "system": "alpha", "role": "test", "text_id": "", "text": ""},
        {"file": "n.wav", "system": "alpha", "role": "test", "text_id": "t1", "text": "Two."},
    ]
    job = done(send(rows, {"H/1.wav": FILES["h/1.wav"], "n.wav": FILES["h/1.wav"]}), now)
    assert [line[:3] for line in refusals(job)] == [(2, "H/1.wav", "file"), (3, "n.wav", "text")]
    assert Clip.objects.filter(study=study).count() == 3


def test_the_studys_own_limits_hold(study: Study, send: Callable[..., ClipImport], now: datetime) -> None:
    study.draft = draft(audio__max_seconds=1.1, audio__sample_rate=24000, audio__loudness=None)
    study.save()
    assert "at most 1.1 s" in refusals(done(send(), now))[0][3]
    rows, contents = [ROWS[0]], {"h/1.wav": FILES["h/1.wav"]}
    assert done(send(rows, contents), now).clips_added == 1
    clip = Clip.objects.get(study=study)
    assert (clip.gain, clip.rendition_bytes) == (0.0, 44 + 2 * 24000)


def test_clips_added_after_the_launch_get_their_places(
    study: Study, send: Callable[..., ClipImport], now: datetime
) -> None:
    rows, contents = audio.clip_set()
    assert done(send(rows, contents), now).clips_added == len(rows)
    assert not Item.objects.exists()
    launch(study=study, now=now)
    assert Item.objects.count() == Pool.objects.count() == len(rows)
    assert done(send(LATE, FILES), now).clips_added == 3
    assert Item.objects.count() == Pool.objects.count() == len(rows) + 3


def test_clips_that_the_task_cannot_use_are_refused_after_the_launch(
    study: Study, send: Callable[..., ClipImport], now: datetime, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, contents = audio.clip_set()
    done(send(rows, contents), now)
    launch(study=study, now=now)
    before = len(stored(files))

    def lay_out(**options: Any) -> None:
        raise ClipsUnfit([Trouble("A text lacks a system.", Clip.objects.get(file="h/1.wav").pk)])

    monkeypatch.setattr(publishing, "lay_out", lay_out)
    job = done(send(LATE, FILES), now)
    assert refusals(job) == [(2, "h/1.wav", "", "A text lacks a system.")]
    assert Clip.objects.count() == len(rows)
    assert len(stored(files)) == before


def test_a_closed_study_takes_no_clips(study: Study, send: Callable[..., ClipImport], now: datetime) -> None:
    job = send()
    study.state = Study.State.CLOSED
    study.save()
    assert "closed" in refusals(done(job, now))[0][3]
    with pytest.raises(Invalid, match="closed"):
        send()


def test_an_upload_beyond_the_limit_is_refused_at_once(
    settings: Any, send: Callable[..., ClipImport], files: Path
) -> None:
    settings.UPLOAD_LIMIT_MB = 0
    with pytest.raises(Invalid) as caught:
        send()
    assert "archive" in caught.value.problems
    assert stored(files) == []


def test_an_upload_may_be_bytes_or_any_open_file(study: Study, now: datetime) -> None:
    job = requests.request_import(
        study=study,
        user=None,
        manifest=audio.manifest(ROWS),
        manifest_name="C:\\clips\\list.csv",
        archive=io.BytesIO(audio.zipped(FILES)),
        archive_name="clips.zip",
        now=now,
    )
    assert job.manifest_name == "list.csv"
    assert done(job, now).clips_added == 3


@pytest.mark.processes
def test_the_task_runs_the_import(send: Callable[..., ClipImport]) -> None:
    job = send()
    import_clips(job.pk)
    job.refresh_from_db()
    assert job.clips_added == 3
    assert ClipImport.task_name == import_clips.name


def test_a_report_can_hold_whatever_a_manifest_held(send: Callable[..., ClipImport], now: datetime) -> None:
    job = done(send(manifest=b"file,system,role\na\0b.wav,s,test\n"), now)
    assert refusals(job)[0][1] == "a\ufffdb.wav"


def test_an_archive_may_unpack_to_four_times_the_upload_limit(settings: Any) -> None:
    settings.UPLOAD_LIMIT_MB = 100
    assert requests.archive_limits().total_bytes == 400 * 2**20

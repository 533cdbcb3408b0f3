"""Low-pass anchors are made of references while they are imported."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
import soundfile

from core.files import storage
from core.jobs import DONE, FAILED
from studies.imports import renditions
from studies.launch import checks
from studies.launch.plan import planned
from studies.launch.states import change_settings
from studies.models import Clip, ClipImport, Study
from tests import audio
from tests.studies.imports.helpers import assert_nothing_was_taken, done, draft, refusals, stored

pytestmark = pytest.mark.django_db
Send = Callable[..., ClipImport]
ROWS = [
    {"file": "h/1.wav", "system": "human", "role": "reference", "text_id": "t1", "text": "One.", "dimension": "news"},
    {"file": "a/1.wav", "system": "alpha", "role": "test", "text_id": "t1", "text": "One.", "dimension": "news"},
]
FILES = {"h/1.wav": audio.wav(1.0, rate=44100, seed=1), "a/1.wav": audio.wav(1.0, rate=44100, seed=2)}


@pytest.fixture
def study(files: Path) -> Study:
    """Return a draft that asks for both anchors."""
    settings = draft("mushra", task__anchors=["3.5 kHz", "7 kHz"])
    return Study.objects.create(slug="one", title="One", draft=settings)


def content(name: str) -> bytes:
    with storage.open_file(name) as file:
        return file.read()


def test_each_reference_brings_an_anchor_for_each_cut_off(study: Study, send: Send, now: datetime, files: Path) -> None:
    job = done(send(ROWS, FILES), now)
    assert (job.clips_added, job.done, job.total, job.report) == (4, 4, 4, [])
    rows = study.clips.filter(role="anchor").order_by("pk")
    named = rows.values_list("file", "system__name", "text__name", "dimension")
    assert list(named) == [
        ("anchors/3500/h/1.wav", "anchor 3.5 kHz", "t1", "news"),
        ("anchors/7000/h/1.wav", "anchor 7 kHz", "t1", "news"),
    ]
    assert len(stored(files)) == 8


def test_an_anchor_is_stored_measured_and_matched_in_loudness_like_any_clip(
    study: Study, send: Send, now: datetime
) -> None:
    done(send(ROWS, FILES), now)
    reference = study.clips.get(role="reference")
    anchors = study.clips.filter(role="anchor")
    assert len({clip.sha256 for clip in study.clips.all()}) == 4
    for clip in anchors:
        original = content(clip.original)
        assert hashlib.sha256(original).hexdigest() == clip.sha256
        assert soundfile.info(io.BytesIO(original)).samplerate == clip.sample_rate == 44100
        assert len(content(clip.rendition)) == clip.rendition_bytes == reference.rendition_bytes
        assert clip.duration == reference.duration
        assert clip.loudness is not None
        assert clip.gain == pytest.approx(-23 - clip.loudness, abs=0.2)


@pytest.mark.processes
def test_the_decoding_child_makes_them(study: Study, send: Send, now: datetime) -> None:
    assert done(send(ROWS, FILES), now).clips_added == 4


def test_test_clips_of_people_get_no_anchors(study: Study, send: Send, now: datetime) -> None:
    Study.objects.update(
        draft=draft("mushra", task__anchors=[], task__explicit_reference=False, task__hidden_reference=False)
    )
    assert done(send([row | {"role": "test"} for row in ROWS], FILES), now).clips_added == 2
    Study.objects.update(draft=draft("mushra", task__anchors=["3.5 kHz"]))
    job = done(send([row | {"file": f"b/{row['file']}", "role": "test"} for row in ROWS], {}), now)
    assert job.clips_added == 0
    assert not Clip.objects.filter(role="anchor").exists()


def test_a_reference_that_cannot_be_decoded_is_told_once(study: Study, send: Send, now: datetime, files: Path) -> None:
    job = done(send(ROWS, {**FILES, "h/1.wav": b"no sound"}), now)
    assert [line[:3] for line in refusals(job)] == [(2, "h/1.wav", "file")]
    assert (job.done, job.total) == (4, 4)
    assert_nothing_was_taken(study, files)


def test_a_reference_too_dull_for_an_anchor_refuses_the_import(
    study: Study, send: Send, now: datetime, files: Path
) -> None:
    job = done(send(ROWS, {**FILES, "h/1.wav": audio.wav(1.0, rate=8000)}), now)
    assert [line[:2] for line in refusals(job)] == [(2, "anchors/7000/h/1.wav")]
    assert "higher sample rate" in refusals(job)[0][3]
    assert_nothing_was_taken(study, files)


def test_an_anchors_name_that_the_study_has_already_is_refused(study: Study, send: Send, now: datetime) -> None:
    done(send(ROWS, FILES), now)
    study.clips.filter(role="reference").delete()
    job = done(send(ROWS[:1], FILES), now)
    assert [line[:2] for line in refusals(job)] == [(2, "anchors/3500/h/1.wav"), (2, "anchors/7000/h/1.wav")]


def test_a_text_that_brings_an_anchor_gets_no_second_one(study: Study, send: Send, now: datetime) -> None:
    own = {"file": "low.wav", "system": "anchor 3.5 kHz", "role": "anchor", "text_id": "t1"}
    done(send([*ROWS, own], {**FILES, "low.wav": audio.wav(1.0, rate=44100, seed=3)}), now)
    anchors = study.clips.filter(role="anchor").values_list("file", flat=True)
    assert sorted(anchors) == ["anchors/7000/h/1.wav", "low.wav"]


def blocking(study: Study) -> str:
    return " ".join(found.message for found in checks.findings(study) if found.level == "blocking")


def test_anchors_turned_on_after_the_import_are_made_of_the_stored_references(
    study: Study, send: Send, now: datetime, files: Path
) -> None:
    Study.objects.update(draft=draft("mushra", task__anchors=[]))
    study.refresh_from_db()
    done(send(ROWS, FILES), now)
    change_settings(study=study, changes={"task.anchors": ["3.5 kHz", "7 kHz"]})
    job = renditions.waiting(study)
    assert job is not None
    assert "The anchors are being made of the references" in blocking(study)
    assert "has no anchor" not in blocking(study)
    assert (done(job, now).state, job.clips_added) == (DONE, 2)
    assert "anchors" not in blocking(study)
    reference = study.clips.get(role="reference")
    for clip in study.clips.filter(role="anchor"):
        assert (clip.system.name, clip.text) in {(f"anchor {band} kHz", reference.text) for band in ("3.5", "7")}
        assert hashlib.sha256(content(clip.original)).hexdigest() == clip.sha256
        assert len(content(clip.rendition)) == clip.rendition_bytes == reference.rendition_bytes
    assert len(stored(files)) == 8


def test_anchors_turned_off_leave_the_screens_and_come_back_without_being_made_again(
    study: Study, send: Send, now: datetime
) -> None:
    done(send(ROWS, FILES), now)

    def shown() -> int:
        return planned(study)[0].numbers.clips

    assert shown() == 5
    change_settings(study=study, changes={"task.anchors": []})
    assert (shown(), renditions.waiting(study)) == (3, None)
    change_settings(study=study, changes={"task.anchors": ["3.5 kHz", "7 kHz"]})
    assert (shown(), renditions.waiting(study)) == (5, None)


def test_a_stored_reference_too_dull_for_an_anchor_is_named_and_blocks_the_launch(
    study: Study, send: Send, now: datetime, files: Path
) -> None:
    Study.objects.update(draft=draft("mushra", task__anchors=[]))
    study.refresh_from_db()
    done(send(ROWS, {**FILES, "h/1.wav": audio.wav(1.0, rate=8000)}), now)
    if (conversion := renditions.waiting(study)) is not None:
        done(conversion, now)
    before = stored(files)
    change_settings(study=study, changes={"task.anchors": ["7 kHz"]})
    job = renditions.waiting(study)
    assert job is not None
    assert done(job, now).state == FAILED
    assert job.error.startswith("anchors/7000/h/1.wav: ")
    assert "The anchors couldn’t be made" in blocking(study)
    assert stored(files) == before

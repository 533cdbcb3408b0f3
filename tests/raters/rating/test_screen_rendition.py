"""What a screen of several clips is sent: the same sound but for its dither, in files of one length."""

from __future__ import annotations

import io
import wave
from datetime import datetime
from typing import Any

import numpy as np
import pytest

from core.files import storage
from raters.models import TrialClip
from raters.rating import screen_rendition
from studies.imports.ingest import wav
from studies.models import Clip
from tests import screens
from tests.world import Person, audio_url, carry, make_study

SENT = 200_000


def rendition(samples: Any) -> bytes:
    content = np.asarray(samples, "<i2").tobytes()
    return wav.header(len(content), 16000, 1) + content


def sent(stored: bytes, key: str = "k" * 22) -> bytes:
    return screen_rendition.opened(io.BytesIO(stored), size=len(stored), sent_size=SENT, key=key).read()


def heard(content: bytes) -> Any:
    with wave.open(io.BytesIO(content)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(int)


@pytest.fixture
def voice() -> Any:
    return np.round(8000 * np.sin(np.arange(80_000) / 30)).astype(int)


def test_a_quarter_of_the_samples_is_one_step_off_and_as_often_up_as_down(voice: Any) -> None:
    step = heard(sent(rendition(voice))) - voice
    assert set(step) == {-1, 0, 1}
    assert np.mean(step != 0) == pytest.approx(0.25, abs=0.01)
    assert np.mean(step) == pytest.approx(0, abs=0.01)


def test_each_key_has_dither_of_its_own_and_the_same_one_every_time(voice: Any) -> None:
    stored = rendition(voice)
    assert sent(stored) == sent(stored)
    assert sent(stored, "a" * 22) != sent(stored, "b" * 22)


def test_dither_repeats_in_no_part_of_a_clip_and_steps_over_no_limit() -> None:
    loud = np.repeat([32767, -32768], 1 << 15)
    step = heard(sent(rendition(loud))) - loud
    assert (step.min(), step.max()) == (-1, 1)
    quiet = heard(sent(rendition(np.zeros(2 << 15, int))))
    assert not np.array_equal(quiet[: 1 << 15], quiet[1 << 15 :])


@pytest.mark.parametrize("frames", [0, 1, (1 << 15) - 1, 1 << 15, 80_000])
def test_every_length_is_filled_up_to_the_same_size(frames: int) -> None:
    content = sent(rendition(np.zeros(frames, int)))
    assert len(content) == SENT == 8 + int.from_bytes(content[4:8], "little")
    assert len(heard(content)) == frames


def test_a_file_that_ends_too_early_in_the_store_is_not_filled_up(voice: Any) -> None:
    stored = rendition(voice)
    short = io.BytesIO(stored[:100_001])
    assert len(screen_rendition.opened(short, size=len(stored), sent_size=SENT, key="k").read()) == 100_000


@pytest.mark.django_db
def test_a_clip_counts_as_sent_once_its_filler_was_too(files: Any, now: datetime) -> None:
    person = Person(screens.make_study(now=now, seconds=(1.0, 2.0, 3.0)), now).start()
    browser, clips = carry(person), person.current.trial.clips
    own = {clip.key: Clip.objects.get(pk=clip.clip).rendition_bytes for clip in clips}
    common = max(own.values()) + screen_rendition.FILLER_HEAD
    for clip in clips:
        url = f"/rate/{person.study.slug}/audio/{clip.key}"
        part = browser.get(url, headers={"Range": f"bytes=0-{own[clip.key] - 1}"})
        assert (len(part.getvalue()), part["Content-Range"].partition("/")[2]) == (own[clip.key], str(common))
        assert TrialClip.objects.get(key=clip.key).fetched_at is None
        browser.get(url, headers={"Range": f"bytes={own[clip.key]}-"}).getvalue()
        assert TrialClip.objects.get(key=clip.key).fetched_at is not None


@pytest.mark.django_db
def test_what_is_stored_stays_as_it_is_and_is_what_a_clip_alone_is_sent_as(files: Any, now: datetime) -> None:
    study = screens.make_study(now=now)
    before = {clip.pk: storage.open_file(clip.rendition).read() for clip in study.clips.all()}
    person = Person(study, now).start()
    for clip in person.current.trial.clips:
        assert carry(person).get(f"/rate/{study.slug}/audio/{clip.key}").getvalue() not in before.values()
    assert {clip.pk: storage.open_file(clip.rendition).read() for clip in study.clips.all()} == before
    alone = Person(make_study(now=now), now).start()
    stored = Clip.objects.get(pk=alone.current.trial.clips[0].clip).rendition
    assert carry(alone).get(audio_url(alone)).getvalue() == storage.open_file(stored).read()

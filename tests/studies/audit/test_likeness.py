"""Near-identical clips are recognised, and different ones are not."""

from __future__ import annotations

import io

import numpy as np
import soundfile

from studies.audit.likeness import fingerprint, near_pairs
from studies.imports.ingest.measure import Samples
from tests.audio import encoded, speech


def pairs(*clips: Samples, rate: int = 16_000) -> list[tuple[int, int]]:
    prints = [fingerprint(clip, rate) for clip in clips]
    return list(near_pairs(prints, [len(clip) / rate for clip in clips]))


def test_a_clip_at_another_level_or_through_mp3_sounds_the_same() -> None:
    sound = speech(3.0)
    lossy, _rate = soundfile.read(io.BytesIO(encoded(sound, format="MP3")), always_2d=True)
    assert pairs(sound, speech(3.0, seed=2), 0.3 * sound, lossy) == [(0, 2), (0, 3), (2, 3)]


def test_clips_of_different_length_are_not_compared() -> None:
    sound = speech(3.0)
    assert pairs(sound, np.concatenate([sound, np.zeros((1600, 1))])) == []


def test_no_clips_have_no_pairs() -> None:
    assert pairs() == []

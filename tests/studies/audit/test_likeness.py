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


def scale(seconds: float) -> Samples:
    """Return 24 tones one after the other, each of so many seconds: at any pace, their fingerprints are the same."""
    times = np.arange(int(16_000 * seconds)) / 16_000
    tones = [np.sin(2 * np.pi * 100 * 1.16**step * times) for step in range(24)]
    return np.concatenate(tones)[:, np.newaxis]


def test_clips_of_different_length_are_not_compared() -> None:
    assert pairs(scale(1.0), 0.5 * scale(1.0)) == [(0, 1)]
    assert pairs(scale(1.0), scale(1.001)) == [(0, 1)]
    assert pairs(scale(1.0), scale(1.002)) == []


def test_no_clips_have_no_pairs() -> None:
    assert pairs() == []

from __future__ import annotations

import numpy as np
import pyloudnorm
import pytest
from scipy import signal

from studies.imports.ingest import measure, rendition
from studies.imports.ingest.facts import Target
from studies.imports.ingest.measure import Samples
from tests import audio

RATES = [(24_000, 48_000), (48_000, 24_000), (44_100, 48_000), (22_050, 16_000), (8_000, 44_100)]


def material(frames: int, channels: int) -> Samples:
    """Return noise with the rhythm of syllables, and a step that rings."""
    rng = np.random.default_rng(frames)
    beat = 0.5 + 0.5 * np.sin(np.arange(frames) / 1000)
    sound = rng.normal(0, 0.1, (frames, channels)) * beat[:, None]
    sound[frames // 3 : frames // 3 + 9] += 0.5
    return sound


@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize(("rate", "wanted"), RATES)
def test_a_rate_is_converted_to_the_bit_as_scipy_does(rate: int, wanted: int, channels: int) -> None:
    common = np.gcd(rate, wanted)
    up, down = wanted // common, rate // common
    window = signal.firwin(64 * max(up, down) + 1, 0.95 / max(up, down), window=("kaiser", 9.0))
    for frames in (1, 40, 1001):
        sound = material(frames, channels)
        theirs = signal.resample_poly(sound, up, down, axis=0, window=window)
        assert np.array_equal(rendition.resampled(sound, rate, wanted), theirs)


@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("rate", [8_000, 24_000, 44_100, 48_000])
def test_loudness_is_to_the_bit_what_pyloudnorm_measures(rate: int, channels: int) -> None:
    for sound in (material(2 * rate, channels), material(rate // 2, channels), audio.speech(1.3, rate=rate)):
        theirs = pyloudnorm.Meter(rate, filter_class="DeMan", block_size=0.4).integrated_loudness(sound)
        assert measure.loudness(sound, rate) == theirs


@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("frames", [1, 500, 512, 530, 20_000])
def test_the_true_peak_is_to_the_bit_that_of_the_whole_recording_oversampled(frames: int, channels: int) -> None:
    rng = np.random.default_rng(frames)
    for sound in (material(frames, channels), rng.normal(0, 0.1, (frames, channels)), np.zeros((frames, channels))):
        whole = np.abs(signal.resample_poly(sound, 4, 1, axis=0)).max()
        assert measure.peak(sound) == max(np.abs(sound).max(), whole)


@pytest.mark.parametrize("loudness", [-40.0, -23.0, -16.0, -9.0])
@pytest.mark.parametrize("frames", [530, 48_000])
def test_a_gain_is_to_the_bit_what_the_true_peak_of_the_whole_recording_allows(frames: int, loudness: float) -> None:
    target = Target(loudness=loudness)
    for sound in (material(frames, 1), material(frames, 2) * 0.1, np.clip(material(frames, 1) * 9, -1, 1)):
        before = measure.loudness(sound, 48_000)
        wanted = 0.0 if before is None else loudness - before
        room = target.peak - rendition.MARGIN - measure.decibels(measure.peak(sound))
        assert rendition.gain_for(sound, before, target) == min(wanted, room)


def test_a_peak_between_samples_is_found_beside_a_louder_sample() -> None:
    # The tone's samples reach .46, and its peak .65; the click in another chunk reaches .5.
    tone = 0.65 * np.sin(2 * np.pi * 0.25 * np.arange(4800) + np.pi / 4) * signal.windows.tukey(4800, 0.5)
    sound = tone[:, None].copy()
    sound[20] = 0.5
    assert measure.peak(sound) == pytest.approx(0.65, abs=0.01)


@pytest.mark.parametrize("place", range(measure.CHUNK - 2, measure.CHUNK + 2))
def test_a_peak_at_the_border_of_two_chunks_is_to_the_bit_that_of_the_whole(place: int) -> None:
    sound = np.random.default_rng(place).normal(0, 0.01, (3 * measure.CHUNK, 1))
    # Two samples that reach above both between them.
    sound[place : place + 2] += 0.5
    assert measure.peak(sound) == np.abs(signal.resample_poly(sound, 4, 1, axis=0)).max() > np.abs(sound).max()

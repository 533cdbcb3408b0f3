"""Measures of signals whose right values are known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import signal

from studies.audit import measures
from studies.imports.ingest.measure import Samples, clipped_share
from tests.audio import speech

RATE = 48_000


def sine(level: float, *, hertz: float = 1000, seconds: float = 2.0, rate: int = RATE) -> Samples:
    """Return a sine whose root mean square is `level` dBFS, shape (frames, 1)."""
    time = np.arange(round(seconds * rate)) / rate
    return np.sqrt(2) * 10 ** (level / 20) * np.sin(2 * np.pi * hertz * time)[:, None]


def noise(level: float, *, seconds: float = 2.0, rate: int = RATE, seed: int = 1) -> Samples:
    return 10 ** (level / 20) * np.random.default_rng(seed).standard_normal((round(seconds * rate), 1))


def bursts(sound: Samples, *, rate: int = RATE, every: float = 0.5) -> Samples:
    """Return `sound` with a pause in the second half of each period."""
    time = np.arange(len(sound)) / rate
    return sound * ((time % every) < every / 2)[:, None]


@pytest.mark.parametrize("rate", [16_000, 44_100, 48_000])
def test_a_sine_at_997_hz_and_full_scale_has_minus_3_01_lufs(rate: int) -> None:
    # ITU-R BS.1770-4, annex 1: a 997 Hz sine at 0 dB full scale in one channel reads −3.01 LKFS.
    found = measures.measure(sine(-3.0103, hertz=997, rate=rate), rate)
    assert found.loudness == pytest.approx(-3.01, abs=0.05)
    assert found.true_peak == pytest.approx(0.0, abs=0.05)


@pytest.mark.parametrize("channels", [1, 2])
def test_a_stereo_sine_is_3_lu_louder_than_a_mono_one(channels: int) -> None:
    # EBU Tech 3341, test signal 1: a 1000 Hz stereo sine with peaks at −23 dBFS reads −23 LUFS.
    found = measures.measure(np.repeat(sine(-23 - 3.0103), channels, axis=1), RATE)
    assert found.loudness == pytest.approx(-23.0 if channels == 2 else -26.0, abs=0.1)


def test_the_level_of_frames_is_their_root_mean_square() -> None:
    assert measures.frame_levels(sine(-20), RATE) == pytest.approx(np.full(100, -20), abs=0.01)
    assert measures.frame_levels(np.zeros((RATE, 2)), RATE) == pytest.approx(np.full(50, -90))


@pytest.mark.parametrize("quiet", [-70.0, -50.0, -40.0])
def test_the_level_in_pauses_is_that_of_the_noise_between_the_words(quiet: float) -> None:
    sound = bursts(sine(-20)) + noise(quiet)
    assert measures.measure(sound, RATE).pauses == pytest.approx(quiet, abs=0.5)


@pytest.mark.parametrize("edge", [-90.0, -75.0, -65.0])
@pytest.mark.parametrize("seconds", [0.1, 0.7])
def test_silence_and_noise_at_the_edges_change_neither_pauses_nor_bandwidth(edge: float, seconds: float) -> None:
    sound = bursts(sine(-20)) + noise(-62)
    padded = np.concatenate([noise(edge, seconds=seconds), sound, noise(edge, seconds=seconds, seed=2)])
    plain, edged = measures.measure(sound, RATE), measures.measure(padded, RATE)
    assert edged.silence_before == pytest.approx(seconds, abs=0.02)
    assert edged.pauses == pytest.approx(plain.pauses, abs=0.3)
    assert edged.pauses == pytest.approx(-62, abs=0.5)
    assert edged.bandwidth == plain.bandwidth


def test_steady_noise_before_and_after_speech_is_no_pause() -> None:
    sound = bursts(sine(-20)) + noise(-62)
    hiss = noise(-45, seconds=0.6, seed=3)
    edged = measures.measure(np.concatenate([hiss, sound, hiss]), RATE)
    assert edged.noise_before == pytest.approx(0.6, abs=0.03)
    assert edged.pauses == pytest.approx(-62, abs=0.5)


def test_a_clip_of_less_than_a_frame_between_its_edges_is_measured_whole() -> None:
    click = np.concatenate([np.zeros((RATE // 2, 1)), sine(-6, seconds=0.008), np.zeros((RATE // 2, 1))])
    assert measures.measure(click, RATE).rolloff is not None


def test_digital_silence_in_pauses_counts_as_the_floor() -> None:
    assert measures.measure(bursts(sine(-20)), RATE).pauses == -90.0


def test_a_clip_filled_with_speech_has_no_level_in_pauses() -> None:
    assert measures.measure(sine(-20), RATE).pauses is None
    assert measures.measure(bursts(sine(-20)) + noise(-25), RATE).pauses is None


@pytest.mark.parametrize("edge", [4000, 7200, 11_000])
@pytest.mark.parametrize("rate", [24_000, 48_000])
def test_the_bandwidth_is_the_edge_of_band_limited_noise(edge: int, rate: int) -> None:
    taps = signal.firwin(1001, edge, fs=rate, window=("kaiser", 12.0))
    sound = bursts(signal.fftconvolve(noise(-20, rate=rate), taps[:, None], mode="same"), rate=rate)
    sound += noise(-85, rate=rate, seed=2)
    assert measures.measure(sound, rate).bandwidth == pytest.approx(edge, abs=400)


def test_noise_in_the_pauses_adds_nothing_to_the_bandwidth() -> None:
    taps = signal.firwin(1001, 4000, fs=RATE, window=("kaiser", 12.0))
    low = bursts(signal.fftconvolve(noise(-20), taps[:, None], mode="same"))
    assert measures.measure(low + noise(-50, seed=2), RATE).bandwidth == pytest.approx(4000, abs=400)


def test_the_bandwidth_of_white_noise_is_half_the_rate() -> None:
    assert measures.measure(noise(-20, rate=16_000), 16_000).bandwidth == 8000


def test_99_percent_of_the_power_of_white_noise_lies_below_99_percent_of_its_band() -> None:
    assert measures.measure(noise(-20), RATE).rolloff == pytest.approx(0.99 * RATE / 2, abs=150)


def test_a_weak_high_tone_does_not_move_the_roll_off_and_a_strong_one_does() -> None:
    low = sine(-20, hertz=500)
    assert measures.measure(low + sine(-50, hertz=9000), RATE).rolloff == pytest.approx(500, abs=150)
    assert measures.measure(low + sine(-30, hertz=9000), RATE).rolloff == pytest.approx(9000, abs=150)


def test_silence_at_the_edges_is_measured_to_10_ms() -> None:
    sound = np.concatenate([np.zeros((RATE // 2, 1)), sine(-20), np.zeros((RATE // 4, 1))])
    found = measures.measure(sound, RATE)
    assert found.silence_before == pytest.approx(0.5, abs=0.01)
    assert found.silence_after == pytest.approx(0.25, abs=0.01)
    assert found.duration == 2.75


def test_a_constant_offset_is_a_share_of_full_scale() -> None:
    assert measures.measure(sine(-20) - 0.02, RATE).dc_offset == pytest.approx(-0.02, abs=1e-4)


def test_a_clip_is_silent_below_minus_60_dbfs_whatever_its_offset() -> None:
    assert measures.is_silent(sine(-64) + 0.1)
    assert not measures.is_silent(sine(-60))


def test_only_flat_tops_at_full_scale_count_as_clipped() -> None:
    cut = np.clip(sine(0.0, hertz=100), -1.0, 32767 / 32768)
    # A sine that would reach √2 lies beyond 1 in half of its course.
    assert clipped_share(cut) == pytest.approx(0.5, abs=0.01)
    assert clipped_share(sine(-3.0103, hertz=100)) == 0.0
    assert clipped_share(0.5 * cut) == 0.0


def test_what_speech_sounds_like_has_all_measures() -> None:
    found = measures.measure(speech(2.0, rate=24_000), 24_000)
    missing = {name for name, value in found.as_dict().items() if value is None}
    # It starts and ends without noise, whose level doesn't exist.
    assert missing == {"noise_before_level", "noise_after_level"}

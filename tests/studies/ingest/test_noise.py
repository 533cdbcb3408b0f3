"""Steady noise before and after speech: how long and how loud it is, and what is never taken for it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import signal

from studies.imports.ingest import edges
from studies.imports.ingest.measure import Samples
from studies.imports.ingest.noise import edge_noise, steady_noise
from tests.studies.ingest.test_edges import RATE, noise, quiet, recording, speech

SECONDS = [0.3, 0.9, 1.5]


def coloured(kind: str, seconds: float, level: float, seed: int = 4) -> Samples:
    """Return noise of a kind, `level` dB below the loud parts of `speech`."""
    count = round(seconds * RATE)
    rng = np.random.default_rng(seed)
    if kind == "hum":
        time = np.arange(count) / RATE
        sound = sum(np.sin(2 * np.pi * 50 * number * time + number) / number for number in range(1, 8))
    else:
        hertz = np.maximum(np.fft.rfftfreq(count, 1 / RATE), 20)
        power = {"white": 0.0, "pink": -0.5}[kind]
        sound = np.fft.irfft(np.fft.rfft(rng.standard_normal(count)) * hertz**power, count)
    return np.asarray(0.1 * 10 ** (-level / 20) * sound / np.sqrt(np.mean(np.square(sound))))[:, None]


@pytest.mark.parametrize("kind", ["white", "pink", "hum"])
@pytest.mark.parametrize("level", [12, 20, 30])
@pytest.mark.parametrize("seconds", SECONDS)
def test_planted_noise_is_measured_at_each_edge(kind: str, level: float, seconds: float) -> None:
    lead, end = coloured(kind, seconds, level), coloured(kind, seconds, level, seed=5)
    for before, after in ((lead, quiet(0)), (quiet(0), end), (lead, end)):
        result = edge_noise(recording(before, speech(), after), RATE)
        assert result.before == pytest.approx(len(before) / RATE, abs=0.04)
        assert result.after == pytest.approx(len(after) / RATE, abs=0.04)
        for part, its_level in ((before, result.before_level), (after, result.after_level)):
            assert (its_level is None) == (not len(part))
            assert its_level is None or its_level == pytest.approx(-level, abs=1.5)


@pytest.mark.parametrize("rate", [8000, 11_025, 22_050, 44_100, 48_000])
@pytest.mark.parametrize("channels", [1, 2])
def test_the_rate_and_the_channels_make_no_difference(rate: int, channels: int) -> None:
    sound = signal.resample_poly(recording(noise(0.9, 20), speech()), rate, RATE, axis=0)
    result = edge_noise(np.repeat(sound, channels, axis=1), rate)
    assert result.before == pytest.approx(0.9, abs=0.04)
    assert result.before_level == pytest.approx(-20, abs=1.5)
    assert result.after == 0


def test_faint_noise_is_silence_and_no_noise() -> None:
    assert edge_noise(recording(noise(0.9, 50), speech()), RATE).before == 0


def test_noise_after_digital_silence_and_a_fade_counts_from_where_it_is_heard() -> None:
    hiss = noise(0.8, 20)
    hiss[: RATE // 10] *= np.linspace(0.01, 1, RATE // 10)[:, None]
    result = edge_noise(np.concatenate([quiet(0.5), hiss, speech()]), RATE)
    assert result.before == pytest.approx(0.8, abs=0.05)


def test_a_pause_between_noise_and_speech_is_no_noise() -> None:
    assert edge_noise(recording(noise(0.6, 20), quiet(0.3), speech()), RATE).before == pytest.approx(0.6, abs=0.03)


def shaped(seconds: float, level: float, shape: Samples) -> Samples:
    """Return noise with an envelope in dB, at equal steps."""
    sound = noise(seconds, level, seed=6)
    gains = np.interp(np.linspace(0, 1, len(sound)), np.linspace(0, 1, len(shape)), shape)
    return np.asarray(sound * 10 ** (gains[:, None] / 20))


SOUNDS = {
    "breath": shaped(0.45, 28, np.array([-25.0, -6, 0, -3, -8, -30])),
    "plosive": shaped(0.12, 15, np.array([0.0, -20, -30, -15])),
    "fricative": shaped(0.22, 14, np.array([-12.0, 0, 0, -4])),
    "soft onset": shaped(0.5, 0, np.array([-36.0, -24, -12, 0])),
    "two vowels": np.concatenate([coloured("hum", 0.2, 14), coloured("white", 0.2, 14)]),
}


@pytest.mark.parametrize("name", list(SOUNDS))
@pytest.mark.parametrize("before", [0.0, 0.3])
def test_speech_and_breath_are_no_noise_and_stay(name: str, before: float) -> None:
    sound = SOUNDS[name]
    for parts in ((quiet(before), sound, speech()), (speech(), sound[::-1], quiet(before))):
        whole = recording(*parts)
        result = edge_noise(whole, RATE)
        assert (result.before, result.after) == (0, 0)
        cut = edges.plan(whole, RATE, 0.2)
        assert max(cut.before.cut, cut.after.cut) <= before * RATE


def test_a_hiss_hidden_in_louder_hum_ends_it() -> None:
    hum = coloured("hum", 1.2, 14)
    hiss = signal.sosfilt(signal.butter(6, 5000, "high", fs=RATE, output="sos"), noise(0.3, 14)[:, 0])[:, None]
    hum[-len(hiss) :] += hiss
    assert edge_noise(recording(hum, speech()), RATE).before == pytest.approx(0.9, abs=0.04)


@pytest.mark.parametrize("seconds", [4.0, 12.0])
def test_long_noise_is_measured_to_its_end(seconds: float) -> None:
    assert edge_noise(recording(noise(seconds, 25), speech()), RATE).before == pytest.approx(seconds, abs=0.04)


@pytest.mark.parametrize("seconds", [0.02, 0.1, 2])
def test_a_recording_that_is_steady_from_start_to_end_has_no_noise_before_it(seconds: float) -> None:
    assert steady_noise(noise(seconds, 0), RATE) is None
    assert edge_noise(noise(seconds, 0), RATE).before == 0


@pytest.mark.parametrize("kind", ["white", "pink", "hum"])
@pytest.mark.parametrize("level", [12, 20, 30])
@pytest.mark.parametrize("seconds", SECONDS)
def test_after_the_repair_no_noise_is_left_and_speech_stays(kind: str, level: float, seconds: float) -> None:
    lead, spoken = coloured(kind, seconds, level), speech()
    whole = recording(lead, spoken, coloured(kind, seconds, level, seed=5))
    cut = edges.plan(whole, RATE, 0.2)
    result = edge_noise(edges.applied(whole, RATE, cut, seed=1), RATE)
    assert (result.before, result.after) == (0, 0)
    for edge in (cut.before, cut.after):
        assert len(lead) - 0.08 * RATE <= edge.cut <= len(lead) - 0.01 * RATE


def test_what_stays_of_the_noise_fades_in() -> None:
    whole = recording(noise(0.9, 20), speech())
    cut = edges.plan(whole, RATE, 0.2)
    left = edges.applied(whole, RATE, cut, seed=1)[cut.before.pad :][: round(0.9 * RATE) - cut.before.cut]
    first, last = left[: RATE // 100], left[-RATE // 100 :]
    assert 20 * np.log10(last.std() / first.std()) > 12

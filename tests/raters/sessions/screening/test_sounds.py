"""The sounds of the first checks against the published numbers."""

from __future__ import annotations

import io
import wave
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from raters.sessions.stimuli import antiphase, beeps, huggins, speech_noise, waves
from studies.imports.ingest import measure


def samples_of(content: bytes) -> tuple[Any, int]:
    """Return (frames, channels) of 16-bit integers, and the rate."""
    with wave.open(io.BytesIO(content)) as file:
        assert file.getsampwidth() == 2
        found = np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, file.getnchannels())
        return found.astype(np.int64), file.getframerate()


def rms(samples: Any) -> float:
    return float(np.sqrt(np.mean(samples.astype(np.float64) ** 2)))


def intervals(content: bytes, *, seconds: float = 1.0, gap: float = 0.5) -> list[Any]:
    samples, rate = samples_of(content)
    step, length = round(rate * (seconds + gap)), round(rate * seconds)
    found = [samples[start : start + length] for start in range(0, len(samples), step)]
    silent = [samples[start + length : start + step] for start in range(0, len(samples) - step, step)]
    assert all(not part.any() for part in silent)
    return found


ORDER: tuple[antiphase.Kind, ...] = ("foil", "target", "standard")


def test_crowd_10_the_foils_channels_are_exact_negatives_and_the_others_are_equal() -> None:
    foil, target, standard = intervals(antiphase.trial(ORDER, 5))
    assert np.array_equal(foil[:, 0], -foil[:, 1])
    assert np.array_equal(target[:, 0], target[:, 1])
    assert np.array_equal(standard[:, 0], standard[:, 1])
    assert np.array_equal(foil[:, 0], standard[:, 0])


def test_crowd_10_the_target_is_six_decibels_below_the_standard_and_the_standard_at_its_level() -> None:
    _foil, target, standard = intervals(antiphase.trial(ORDER, 5))
    assert 20 * np.log10(rms(target) / rms(standard)) == pytest.approx(-6.0, abs=0.002)
    middle = standard[len(standard) // 4 : -len(standard) // 4]
    assert 20 * np.log10(rms(middle) / 32767) == pytest.approx(-17.0, abs=0.01)


def test_crowd_10_each_tone_is_two_hundred_hertz_with_ramps_of_a_tenth_of_a_second() -> None:
    standard = intervals(antiphase.trial(ORDER, 5))[2][:, 0]
    spectrum = np.abs(np.fft.rfft(standard))
    assert int(spectrum.argmax()) == 200
    frames = round(0.1 * antiphase.RATE)
    top = np.abs(standard).max()
    assert np.abs(standard[: frames // 20]).max() < 0.01 * top
    assert np.abs(standard[-frames // 20 :]).max() < 0.01 * top
    # Half-way up the ramp, half the amplitude; from its end on, all of it.
    assert np.abs(standard[frames // 2 - 60 : frames // 2 + 60]).max() == pytest.approx(top / 2, rel=0.1)
    assert np.abs(standard[frames : 2 * frames]).max() == pytest.approx(top, rel=0.001)


@pytest.mark.parametrize("seed", range(5))
def test_crowd_10_nothing_clips(seed: int) -> None:
    for content in (antiphase.trial(ORDER, seed), huggins.trial(1, seed), beeps.groups((5, 5, 5), seed)):
        assert np.abs(samples_of(content)[0]).max() < 32767


def test_crowd_10_hugginss_noises_are_alike_in_both_ears_outside_the_band_and_inverted_within() -> None:
    pair = huggins.noise(np.random.default_rng(3), is_target=True)
    left, right = np.fft.rfft(pair[:, 0]), np.fft.rfft(pair[:, 1])
    hertz = np.fft.rfftfreq(len(pair), 1 / huggins.RATE)
    inside = (hertz >= 564) & (hertz <= 636)
    assert inside.sum() == 73
    assert np.allclose(left[~inside], right[~inside], atol=1e-9)
    assert np.allclose(left[inside], -right[inside], atol=1e-9)
    assert np.abs(left[inside]).min() > 0


def test_crowd_10_only_the_target_differs_between_the_ears_and_only_near_its_band_once_ramped() -> None:
    for place in range(3):
        parts = intervals(huggins.trial(place, 9))
        differ = [not np.array_equal(part[:, 0], part[:, 1]) for part in parts]
        assert differ == [place == number for number in range(3)]
        gap = np.abs(np.fft.rfft((parts[place][:, 0] - parts[place][:, 1]).astype(np.float64))) ** 2
        assert gap[550:650].sum() > 0.999 * gap.sum()
        # A file mixed down to one channel still holds the noise, so loudness gives nothing away.
        levels = [rms(part[:, 0]) for part in parts]
        assert max(levels) / min(levels) < 1.03


def test_every_trial_of_a_test_is_as_long_as_every_other_whatever_its_answer() -> None:
    tones = {len(antiphase.trial(order, seed)) for seed, order in enumerate(permutations(antiphase.KINDS))}
    noises = {len(huggins.trial(place, place)) for place in range(3)}
    counts = {len(beeps.groups(group, 1)) for group in ((2, 2, 2), (5, 4, 3), (5, 5, 5))}
    assert (len(tones), len(noises), len(counts)) == (1, 1, 1)


def test_no_two_seeds_sound_the_same_and_one_seed_always_does() -> None:
    assert antiphase.trial(ORDER, 1) == antiphase.trial(ORDER, 1) != antiphase.trial(ORDER, 2)
    assert huggins.trial(0, 1) == huggins.trial(0, 1) != huggins.trial(0, 2)
    assert beeps.groups((2, 3), 1) == beeps.groups((2, 3), 1) != beeps.groups((2, 3), 2)


@pytest.mark.parametrize("counts", [(2, 5, 3), (4, 4, 2)])
def test_as_many_beeps_are_heard_as_are_asked_for(counts: tuple[int, ...]) -> None:
    samples, rate = samples_of(beeps.groups(counts, 4))
    # Loud or not, by hundredths of a second; a group ends where nothing sounds for half a second.
    frames = samples[: len(samples) // (rate // 100) * (rate // 100), 0].reshape(-1, rate // 100)
    heard = "".join("x" if loud else " " for loud in np.abs(frames).max(axis=1) > 1000)
    assert tuple(len(group.split()) for group in heard.split(" " * 50) if group.strip()) == counts


@pytest.mark.parametrize("loudness", [-23.0, -30.0, -18.5])
def test_the_noise_is_as_loud_as_the_clips_by_the_recommendations_own_meter(loudness: float) -> None:
    samples, rate = samples_of(speech_noise.loop(loudness, 2))
    assert measure.loudness(samples / 32767, rate) == pytest.approx(loudness, abs=0.15)


def test_the_noise_never_clips_and_goes_round_without_a_click() -> None:
    loud = speech_noise.noise(-5.0, 2)
    assert np.abs(loud).max() == pytest.approx(10 ** (-1 / 20))
    samples = speech_noise.noise(-23.0, 2)[:, 0]
    steps = np.abs(np.diff(samples))
    assert abs(samples[0] - samples[-1]) < steps.max()


def test_samples_beyond_full_scale_are_refused() -> None:
    with pytest.raises(ValueError, match="clip"):
        waves.wav(np.full((4, 1), 1.01), 8000)

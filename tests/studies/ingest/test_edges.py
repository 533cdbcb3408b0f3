"""Edges of recordings: what is cut and added, and what never is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from studies.imports.ingest import edges, rates
from studies.imports.ingest.child import process
from studies.imports.ingest.facts import Target
from studies.imports.ingest.measure import Samples, silence
from tests import audio

RATE = 16_000
WANTED = 0.2


def noise(seconds: float, level: float, seed: int = 1) -> Samples:
    """Return white noise of a level in dB below that of `speech`."""
    rng = np.random.default_rng(seed)
    return 0.1 * 10 ** (-level / 20) * rng.standard_normal((round(seconds * RATE), 1))


def speech(seconds: float = 1.5, seed: int = 2) -> Samples:
    """Return bursts of noise with pauses between them; it begins and ends with sound."""
    time = np.arange(round(seconds * RATE)) / RATE
    return noise(seconds, 0, seed) * (np.sin(2 * np.pi * 3 * time - 0.1) < 0.5)[:, None]


def recording(*parts: Samples, background: float = 75) -> Samples:
    """Return the parts in a row, with noise below them."""
    sound = np.concatenate(parts)
    return sound + noise(len(sound) / RATE, background, seed=9)


def trimmed(samples: Samples, wanted: float = WANTED) -> Samples:
    return edges.applied(samples, RATE, edges.plan(samples, RATE, wanted), seed=7)


def quiet(seconds: float) -> Samples:
    return np.zeros((round(seconds * RATE), 1))


def where(part: Samples, whole: Samples) -> int:
    """Return where `part` begins in `whole`, sample for sample; fails if it isn't there."""
    for start in np.flatnonzero(whole[: len(whole) - len(part) + 1, 0] == part[0, 0]):
        if np.array_equal(whole[start : start + len(part)], part):
            return int(start)
    raise AssertionError("the part is not there")


@pytest.mark.parametrize("before", [0, 0.02, 0.137, 0.5, 3])
@pytest.mark.parametrize("after", [0, 0.3, 1.111])
@pytest.mark.parametrize("background", [46, 55, 75])
def test_silence_is_brought_to_one_length_and_speech_stays_sample_for_sample(
    before: float, after: float, background: float
) -> None:
    whole = recording(quiet(before), speech(), quiet(after), background=background)
    result = trimmed(whole)
    spoken = whole[round(before * RATE) : round(before * RATE) + len(speech())]
    assert where(spoken, result) == pytest.approx(WANTED * RATE, abs=0.01 * RATE)
    assert len(result) == pytest.approx(len(spoken) + 2 * WANTED * RATE, abs=0.02 * RATE)
    assert silence(result, RATE) == pytest.approx((WANTED, WANTED), abs=0.021)


@pytest.mark.parametrize("gap", [0, 0.1, 0.25])
@pytest.mark.parametrize("is_after", [False, True])
def test_a_breath_45_db_below_speech_is_kept_with_50_ms_beside_it(gap: float, is_after: bool) -> None:
    breath = noise(0.4, 45, seed=5)
    parts = [quiet(1), breath, quiet(gap), speech()]
    whole = recording(*(parts[::-1] if is_after else parts))
    result = trimmed(whole)
    assert len(result) < len(whole)
    start = len(speech()) + round(gap * RATE) if is_after else RATE
    margin = round(0.04 * RATE)
    where(whole[max(0, start - margin) : start + len(breath) + margin], result)


def test_a_click_far_from_the_speech_is_cut() -> None:
    whole = recording(quiet(0.5), noise(0.03, 42), quiet(1), speech())
    assert silence(trimmed(whole), RATE)[0] == pytest.approx(WANTED, abs=0.011)
    assert len(trimmed(whole)) < len(whole) - 1.1 * RATE


@pytest.mark.parametrize("seconds", [0.02, 0.08, 0.18])
def test_soft_attacks_and_decays_are_kept(seconds: float) -> None:
    ramp = np.linspace(0, 1, round(seconds * RATE))[:, None] ** 2
    attack, decay = noise(seconds, 3, seed=3) * ramp, noise(seconds, 3, seed=4) * ramp[::-1]
    whole = recording(quiet(1), attack, speech(), decay, quiet(1))
    # Of a ramp, the part below -60 dB is not heard.
    start = RATE + round(0.05 * len(attack))
    where(whole[start : len(whole) - start], trimmed(whole))


@pytest.mark.parametrize("level", [20, 30, 38, 50])
@pytest.mark.parametrize("is_after", [False, True])
def test_of_noise_before_or_after_speech_50_ms_stay(level: float, is_after: bool) -> None:
    parts = [noise(0.9, level), speech()]
    whole = recording(*(parts[::-1] if is_after else parts), background=60)
    result = trimmed(whole)
    if is_after:
        whole, result = whole[::-1], result[::-1]
    onset = where(whole[round(0.9 * RATE) : round(0.9 * RATE) + 1000], result)
    assert onset == pytest.approx(WANTED * RATE, abs=0.03 * RATE)
    padding = result[: onset - round(0.08 * RATE)]
    assert 20 * np.log10(0.1 / padding.std()) == pytest.approx(60, abs=1.5)


def test_noise_that_goes_on_in_the_pauses_is_the_background_that_is_kept_and_added() -> None:
    long = recording(quiet(1.5), speech(), background=20)
    result = trimmed(long)
    assert where(long[round(1.3 * RATE) + 200 : -200], result) == pytest.approx(200, abs=0.03 * RATE)
    short = recording(quiet(0.05), speech(), background=20)
    added = trimmed(short)[100 : round(0.1 * RATE)]
    assert 20 * np.log10(0.1 / added.std()) == pytest.approx(20, abs=1.5)


def test_a_long_fricative_at_the_start_is_no_noise() -> None:
    fricative = noise(0.25, 18, seed=6)
    whole = recording(fricative, speech())
    where(whole, trimmed(whole))


def test_digital_silence_is_continued_by_digital_silence() -> None:
    sound = np.concatenate([quiet(0.03), speech()])
    result = trimmed(sound)
    assert not result[: round(0.19 * RATE)].any()


def test_both_ends_begin_and_end_without_a_step() -> None:
    whole = recording(quiet(1), speech(), quiet(1), background=20)
    result = trimmed(whole)
    assert np.abs(result[[0, -1]]).max() < 1e-4


def test_the_same_recording_gives_the_same_samples_and_is_itself_not_changed() -> None:
    whole = recording(quiet(0.05), speech(), quiet(0.9), background=40)
    before = whole.copy()
    assert np.array_equal(trimmed(whole), trimmed(whole))
    assert np.array_equal(whole, before)


@pytest.mark.parametrize("rate", [8000, 11_025, 16_000, 22_050, 44_100])
def test_the_bytes_depend_on_the_duration_alone(tmp_path: Path, rate: int) -> None:
    (tmp_path / "in").write_bytes(audio.encoded(audio.speech(1.234, rate=rate), rate, subtype="PCM_16"))
    facts = process(tmp_path / "in", tmp_path / "out", Target(48_000, edges=0.2, band=3000))
    size = (tmp_path / "out").stat().st_size
    assert size == facts.rendition_bytes == rates.size(facts.duration, rate, 1, 48_000)
    assert (size - 44) % (2 * 48_000 // 50) == 0
    assert facts.duration + facts.trimmed_before + facts.trimmed_after == pytest.approx(1.234, abs=1 / rate)
    once = (tmp_path / "out").read_bytes()
    process(tmp_path / "in", tmp_path / "out", Target(48_000, edges=0.2, band=3000))
    assert (tmp_path / "out").read_bytes() == once


def test_an_anchor_is_trimmed_like_its_reference(tmp_path: Path) -> None:
    reference = recording(quiet(0.6), noise(0.1, 20), speech(), quiet(0.5))
    # The anchor lacks the beginning, as where a filter takes a fricative.
    anchor = recording(quiet(1), speech(seed=3)[round(0.3 * RATE) :], quiet(0.5))
    files = {"reference": reference, "anchor": np.pad(anchor, ((0, len(reference) - len(anchor)), (0, 0)))}
    for name, samples in files.items():
        (tmp_path / name).write_bytes(audio.encoded(samples, RATE, subtype="PCM_16"))
    target = Target(RATE, edges=WANTED)
    one = process(tmp_path / "reference", tmp_path / "out", target)
    other = process(tmp_path / "anchor", tmp_path / "out", target, tmp_path / "reference")
    assert (other.trimmed_before, other.trimmed_after) == (one.trimmed_before, one.trimmed_after)
    alone = process(tmp_path / "anchor", tmp_path / "out", target)
    assert alone.trimmed_before != one.trimmed_before


def test_the_band_is_cut_for_all_and_speech_stays_in_time(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(audio.encoded(recording(quiet(0.2), speech()), RATE, subtype="PCM_16"))
    process(tmp_path / "in", tmp_path / "plain", Target(RATE))
    process(tmp_path / "in", tmp_path / "band", Target(RATE, band=3000))
    plain, band = (np.frombuffer((tmp_path / name).read_bytes()[44:], "<i2") for name in ("plain", "band"))
    assert len(plain) == len(band)
    spectra = [np.abs(np.fft.rfft(each)) for each in (plain, band)]
    at = np.fft.rfftfreq(len(plain), 1 / RATE)
    assert spectra[1][at > 3500].max() < 0.01 * spectra[0][at > 3500].max()
    assert np.correlate(plain.astype(float), band.astype(float), "same").argmax() == len(plain) // 2

"""Renditions have no offset, so that none names a system; what can be heard stays as it was, and in time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from studies.imports.ingest import child
from studies.imports.ingest.facts import Target
from studies.imports.ingest.highpass import highpassed

RATE = 16_000
# What systems add to what they make, in shares of full scale.
OFFSETS = {"alpha": 0.0, "beta": 0.004}


def speechlike(seed: int, seconds: float = 1.0) -> np.ndarray:
    """Return noise with pauses, above 80 Hz, as far as that goes in such a short time."""
    rng = np.random.default_rng(seed)
    count = round(seconds * RATE)
    spectrum = np.fft.rfft(rng.normal(0, 0.1, count))
    spectrum[np.fft.rfftfreq(count, 1 / RATE) < 80] = 0
    envelope = np.sin(np.linspace(0, 3 * np.pi, count)) ** 2
    return np.fft.irfft(spectrum, count) * envelope


def rendition(tmp_path: Path, sound: np.ndarray, **target: object) -> np.ndarray:
    """Import a sound as a 24-bit WAV, and return what raters hear."""
    source, made = tmp_path / "in.wav", tmp_path / "out.wav"
    soundfile.write(source, sound, RATE, subtype="PCM_24")
    child.process(source, made, Target(sample_rate=RATE, **target))  # type: ignore[arg-type]
    return soundfile.read(made)[0]


def area(lower: list[float], higher: list[float]) -> float:
    """Return the area under the curve: how often a value of one list exceeds one of the other."""
    return float(np.mean([(high > low) + 0.5 * (high == low) for low in lower for high in higher]))


@pytest.mark.parametrize("target", [{}, {"loudness": None}, {"edges": 0.2}, {"channels": 2}])
def test_an_offset_names_no_system(tmp_path: Path, target: dict[str, object]) -> None:
    means: dict[str, list[float]] = {system: [] for system in OFFSETS}
    firsts: dict[str, list[float]] = {system: [] for system in OFFSETS}
    sources: dict[str, list[float]] = {system: [] for system in OFFSETS}
    for number in range(24):
        system = sorted(OFFSETS)[number % 2]
        sound = speechlike(number) + OFFSETS[system]
        sources[system].append(float(sound.mean()))
        heard = rendition(tmp_path, sound, **target)
        means[system].append(float(heard.mean()))
        firsts[system].append(float(heard[:80].mean()))
    assert area(sources["alpha"], sources["beta"]) == 1
    assert 0.2 < area(means["alpha"], means["beta"]) < 0.8
    assert 0.2 < area(firsts["alpha"], firsts["beta"]) < 0.8
    assert max(abs(mean) for group in means.values() for mean in group) < 2e-5


def test_the_same_sound_with_an_offset_and_without_is_the_same_rendition(tmp_path: Path) -> None:
    plain, shifted = (rendition(tmp_path, speechlike(1) + offset) for offset in (0.0, 0.02))
    # But for the dither, which goes by the file.
    assert np.abs(plain - shifted).max() < 4 / 32768


@pytest.mark.parametrize(
    ("hertz", "decibels", "within"), [(20, -6.0, 0.3), (40, -0.5, 0.1), (80, 0.0, 0.05), (1000, 0.0, 0.01)]
)
def test_what_is_heard_stays_as_loud_and_in_time(hertz: int, decibels: float, within: float) -> None:
    time = np.arange(8 * RATE) / RATE
    tone = np.sin(2 * np.pi * hertz * time)[:, None]
    heard = highpassed(tone, RATE)
    assert heard.shape == tone.shape
    middle = slice(2 * RATE, 6 * RATE)
    gain = float((heard[middle] * tone[middle]).sum() / (tone[middle] ** 2).sum())
    assert abs(20 * np.log10(gain) - decibels) < within
    assert np.abs(heard[middle] - gain * tone[middle]).max() < 1e-3


def test_digital_silence_stays_digital_silence() -> None:
    assert not highpassed(np.zeros((RATE, 2)), RATE).any()

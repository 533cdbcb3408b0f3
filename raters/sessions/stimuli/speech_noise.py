"""A seamless loop of noise with the long-term spectrum of speech, as loud as the clips."""

from __future__ import annotations

from typing import TYPE_CHECKING

from raters.sessions.stimuli.waves import amplitude, wav

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from raters.sessions.stimuli.waves import Samples

    Numbers = npt.NDArray[np.float64]

RATE, SECONDS = 16000, 4.0
LOW, KNEE, HIGH = 100.0, 500.0, 7000.0
# dB per octave: approximate slope of the speech spectrum above the knee (Byrne et al. 1994).
SLOPE = -9.0
PEAK = -1.0
# The K-weighting of ITU-R BS.1770-4 at 48 kHz, tables 1 and 2: (numerator, denominator) of its two filters.
WEIGHTING_RATE = 48000
SHELF = ((1.53512485958697, -2.69169618940638, 1.19839281085285), (1.0, -1.69065929318241, 0.73248077421585))
PASS = ((1.0, -2.0, 1.0), (1.0, -1.99004745483398, 0.99007225036621))
OFFSET = -0.691


def noise(loudness: float, seed: int) -> Samples:
    """Return noise (frames, 1) of this loudness in LUFS, limited to a peak of -1 dB full scale."""
    import numpy as np

    frames = round(RATE * SECONDS)
    hertz: Numbers = np.fft.rfftfreq(frames, 1 / RATE).astype(np.float64)
    octaves = np.log2(np.maximum(hertz, KNEE) / KNEE)
    shape = np.where((hertz >= LOW) & (hertz <= HIGH), 10 ** (SLOPE * octaves / 20), 0.0)
    phases = np.random.default_rng(seed).uniform(0, 2 * np.pi, len(hertz))
    samples = np.fft.irfft(shape * np.exp(1j * phases), frames)
    # For a periodic signal, the mean square follows from the spectrum (Parseval), without running the filters.
    power = 2 * float(np.sum((shape * gain(hertz)) ** 2)) / frames**2
    samples *= amplitude(loudness - OFFSET) / power**0.5
    return (samples * min(1.0, amplitude(PEAK) / float(np.abs(samples).max())))[:, None]


def gain(hertz: Numbers) -> Numbers:
    """Return the linear gain of the K-weighting at these frequencies."""
    import numpy as np

    z = np.exp(-2j * np.pi * hertz / WEIGHTING_RATE)
    response = np.ones_like(z)
    for above, below in (SHELF, PASS):
        response *= np.polynomial.polynomial.polyval(z, above) / np.polynomial.polynomial.polyval(z, below)
    weights: Numbers = np.abs(response)
    return weights


def loop(loudness: float, seed: int) -> bytes:
    """Return the WAV of the noise."""
    return wav(noise(loudness, seed), RATE)

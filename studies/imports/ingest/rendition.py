"""Make renditions for raters: plain 16-bit WAV with one rate, one channel count and one loudness."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import signal

from studies.imports.ingest import wav
from studies.imports.ingest.facts import Target
from studies.imports.ingest.lowpass import can_lowpass, lowpassed
from studies.imports.ingest.measure import Samples, decibels, loudness, peak
from studies.rules.durations import STEPS

FULL = 32768
# Filter of the rate conversion: taps on each side per phase, and a Kaiser window of about 90 dB.
TAPS, KAISER = 32, 9.0
# Margin for rounding and dither below the highest allowed peak, in dB.
MARGIN = 0.02


def render(samples: Samples, rate: int, target: Target, *, seed: int) -> tuple[bytes, float, float | None]:
    """Return a WAV file's bytes, the gain applied in dB, and the loudness delivered in LUFS.

    `samples` has the shape (frames, channels); the length of the result depends on the duration alone, filled up with
    silence to a whole 20 ms. `seed` fixes the dither, so that the same clip gives the same bytes.
    """
    wanted = target.rate(rate)
    sound = resampled(mixed(samples, target.channels), rate, wanted)
    if target.band is not None and can_lowpass(wanted, target.band):
        sound = lowpassed(sound, wanted, target.band)
    sound = padded(sound, wanted)
    before = loudness(sound, wanted)
    gain = gain_for(sound, before, target)
    content = quantised(sound * 10 ** (gain / 20), seed).tobytes()
    return (
        wav.header(len(content), wanted, target.channels) + content,
        gain,
        None if before is None else before + gain,
    )


def gain_for(sound: Samples, before: float | None, target: Target) -> float:
    """Return the gain in dB that brings `sound` to the wanted loudness, as far as its true peak allows.

    Without a wanted loudness, the gain is 0, unless samples would exceed 16 bits.
    """
    if target.loudness is None:
        return min(0.0, -decibels(float(np.abs(sound).max()) * FULL / (FULL - 1)))
    wanted = 0.0 if before is None else target.loudness - before
    most = target.peak - MARGIN
    # The true peak that this gain brings to the highest one: lower ones needn't be known.
    allowed = 10 ** ((most - wanted) / 20)
    highest = peak(sound, above=allowed)
    return wanted if highest <= allowed else min(wanted, most - decibels(highest))


def mixed(samples: Samples, channels: int) -> Samples:
    """Return `samples` with that many channels: the mean of two, or one doubled."""
    if samples.shape[1] == channels:
        return samples
    mono = samples.mean(axis=1, keepdims=True)
    return np.repeat(mono, channels, axis=1)


def resampled(samples: Samples, rate: int, wanted: int) -> Samples:
    """Return `samples` at another rate: ceil(frames × wanted / rate) frames."""
    if rate == wanted:
        return samples
    common = math.gcd(rate, wanted)
    up, down = wanted // common, rate // common
    # The type stubs miss windows that are arrays.
    window: Any = _low_pass(max(up, down))
    return np.asarray(signal.resample_poly(samples, up, down, axis=0, window=window), dtype=np.float64)


def padded(samples: Samples, rate: int) -> Samples:
    """Return `samples` with up to 20 ms of silence after them, so that their number is a multiple of rate / 50."""
    return np.pad(samples, ((0, -len(samples) % (rate // STEPS)), (0, 0)))


@lru_cache(maxsize=8)
def _low_pass(widest: int) -> Samples:
    """Return a linear-phase low-pass at 95 % of the lower Nyquist frequency when resampling by up/down.

    `widest` is the larger of up and down.
    """
    taps = signal.firwin(2 * TAPS * widest + 1, 0.95 / widest, window=("kaiser", KAISER))
    return np.asarray(taps, dtype=np.float64)


def quantised(sound: Samples, seed: int) -> npt.NDArray[np.int16]:
    """Return 16-bit samples, with triangular dither unless they are exact already."""
    scaled = sound * FULL
    if not np.array_equal(scaled, np.rint(scaled)):
        rng = np.random.default_rng(seed)
        scaled = scaled + rng.random(scaled.shape) - rng.random(scaled.shape)
    return np.clip(np.rint(scaled), -FULL, FULL - 1).astype("<i2")

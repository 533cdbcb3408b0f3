"""Make renditions for raters: plain 16-bit WAV with one rate, one channel count and one loudness."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from studies.imports.ingest import filters, wav
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
    room = target.peak - MARGIN - decibels(peak(sound))
    return min(0.0 if before is None else target.loudness - before, room)


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
    return _resampler(up, down)(samples)


def padded(samples: Samples, rate: int) -> Samples:
    """Return `samples` with up to 20 ms of silence after them, so that their number is a multiple of rate / 50."""
    return np.pad(samples, ((0, -len(samples) % (rate // STEPS)), (0, 0)))


@lru_cache(maxsize=8)
def _resampler(up: int, down: int) -> filters.Resampler:
    """Return a conversion with a linear-phase low-pass at 95 % of the lower of the two rates' limits."""
    widest = max(up, down)
    return filters.Resampler(up, down, filters.low_pass(2 * TAPS * widest + 1, 0.95 / widest, KAISER))


def quantised(sound: Samples, seed: int) -> npt.NDArray[np.int16]:
    """Return 16-bit samples, with triangular dither unless they are exact already."""
    scaled = sound * FULL
    if not np.array_equal(scaled, np.rint(scaled)):
        rng = np.random.default_rng(seed)
        scaled = scaled + rng.random(scaled.shape) - rng.random(scaled.shape)
    return np.clip(np.rint(scaled), -FULL, FULL - 1).astype("<i2")

"""Loudness, true peak, silence and clipping of a recording."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy import signal

Samples = npt.NDArray[np.float64]
# Seconds of a gating block and from one to the next; LUFS below which a block never counts, LU below the others' mean.
BLOCK, HOP = 0.4, 0.4 * 0.25
NEVER, RELATIVE = -70.0, -10.0
# Gain in dB, quality and Hz of the shelf, and quality and Hz of the high-pass (De Man): at 48 kHz, they give the
# coefficients of the recommendation.
SHELF, HIGH_PASS = (3.99984385397, 0.7071752369554193, 1681.9744509555319), (0.5003270373253953, 38.13547087613982)
# Samples at each side that the filter of the oversampling hears, and its Kaiser window, as in `signal.resample_poly`.
OVERSAMPLING, REACH, KAISER = 4, 10, 5.0
# Samples that are oversampled at once, and those next to them that are needed for it.
CHUNK, EDGE = 512, REACH + 2
# A frame is silent this far below the loudest, in dB; frames last 10 ms.
SILENCE, FRAME = -40.0, 0.01
# Two steps of 16 bits below full scale; a sine touches it for one sample or two, what was cut off stays there.
FULL_SCALE, FLAT = 1 - 2 / 32768, 3


def decibels(ratio: float) -> float:
    """Return 20 log10 of an amplitude; minus infinity for 0."""
    return float(20 * np.log10(ratio)) if ratio > 0 else -np.inf


def loudness(samples: Samples, rate: int) -> float | None:
    """Return the integrated loudness of (frames, channels), one or two, in LUFS (ITU-R BS.1770-4, gated).

    None when the clip is shorter than a gating block of 0.4 s or no block is above -70 LUFS.
    """
    if len(samples) < BLOCK * rate:
        return None
    count = int(np.round((len(samples) / rate - BLOCK) / HOP)) + 1
    edges = [(int(BLOCK * (place * 0.25) * rate), int(BLOCK * (place * 0.25 + 1) * rate)) for place in range(count)]
    powers = np.empty((samples.shape[1], count))
    for channel in range(samples.shape[1]):
        sound = np.ascontiguousarray(samples[:, channel])
        for b, a in _weighting(rate):
            sound = signal.lfilter(b, a, sound)
        squares = np.square(sound)
        powers[channel] = [squares[start:end].sum() for start, end in edges]
    powers *= 1 / (BLOCK * rate)
    with np.errstate(divide="ignore"):
        levels = _lufs(powers.sum(axis=0))
    audible = levels >= NEVER
    if not audible.any():
        return None
    loud = (levels > _mean(powers, audible) + RELATIVE) & (levels > NEVER)
    return float(_mean(powers, loud)) if loud.any() else None


def _mean(powers: Samples, blocks: npt.NDArray[np.bool_]) -> Samples:
    return _lufs(np.sum([channel[blocks].mean() for channel in powers]))


def _lufs(power: npt.ArrayLike) -> Samples:
    return np.asarray(-0.691 + 10 * np.log10(power), dtype=np.float64)


@lru_cache(maxsize=8)
def _weighting(rate: int) -> tuple[tuple[Samples, Samples], ...]:
    """Return numerator and denominator of both filters before the power is taken."""
    gain, quality, hertz = SHELF
    k, high = np.tan(np.pi * hertz / rate), np.power(10.0, gain / 20)
    band, scale = np.power(high, 0.499666774155), 1 + k / quality + k * k
    shelf = [(high + band * k / quality + k * k) / scale, 2 * (k * k - high) / scale]
    shelf.append((high - band * k / quality + k * k) / scale)
    first = np.array(shelf), np.array([1.0, 2 * (k * k - 1) / scale, (1 - k / quality + k * k) / scale])
    quality, hertz = HIGH_PASS
    k = np.tan(np.pi * hertz / rate)
    scale = 1 + k / quality + k * k
    second = np.array([1.0, 2 * (k * k - 1) / scale, (1 - k / quality + k * k) / scale])
    return first, (np.array([1.0, -2.0, 1.0]), second)


def peak(samples: Samples, above: float = 0.0) -> float:
    """Return the true peak of (frames, channels), linear, 4 times oversampled (ITU-R BS.1770-4, annex 2).

    Where no true peak exceeds `above`, any value up to it. Chunks so quiet that the filter can't bring them to the
    highest sample, or above `above`, are left out.
    """
    sizes = np.abs(samples).max(axis=1, initial=0.0)
    highest = float(sizes.max(initial=0.0))
    taps, most = _oversampling()
    starts = np.arange(0, len(samples), CHUNK)
    # With what the filter hears of the neighbours; a cut would ring.
    lefts, rights = np.maximum(starts - EDGE, 0), np.minimum(starts + CHUNK + EDGE, len(samples))
    reach = np.maximum.reduceat(np.append(sizes, 0.0), np.stack([lefts, rights], axis=1).ravel())[::2]
    # The loudest first, so that few are needed.
    for place in np.argsort(-reach, kind="stable"):
        if reach[place] * most < max(highest, above):
            break
        start, left = int(starts[place]), int(lefts[place])
        # As `signal.resample_poly`, which would design the same filter for each chunk.
        between = signal.upfirdn(taps, samples[left : rights[place]], OVERSAMPLING, axis=0)
        part = between[(REACH + start - left) * OVERSAMPLING :][: CHUNK * OVERSAMPLING]
        highest = max(highest, float(np.abs(part).max(initial=0.0)))
    return highest


@lru_cache(maxsize=1)
def _oversampling() -> tuple[Samples, float]:
    """Return the filter, and the most by which a sample between others can exceed them."""
    taps = signal.firwin(2 * REACH * OVERSAMPLING + 1, 1 / OVERSAMPLING, window=("kaiser", KAISER)) * OVERSAMPLING
    most = max(float(np.abs(taps[phase::OVERSAMPLING]).sum()) for phase in range(OVERSAMPLING))
    return taps, most * (1 + 1e-9)


def silence(samples: Samples, rate: int) -> tuple[float, float]:
    """Return seconds before the first and after the last 10 ms frame whose level is within 40 dB of the loudest."""
    level, size = frame_power(samples, rate)
    loud = np.flatnonzero(level > level.max() * 10 ** (SILENCE / 10))
    first, last = int(loud[0]) * size, min(len(samples), (int(loud[-1]) + 1) * size)
    return first / rate, (len(samples) - last) / rate


def frame_power(samples: Samples, rate: int) -> tuple[npt.NDArray[np.float64], int]:
    """Return the mean power of each frame of 10 ms over all channels, the last one filled up, and a frame's length."""
    size = max(1, round(FRAME * rate))
    power = (samples**2).mean(axis=1)
    return np.asarray(np.add.reduceat(power, np.arange(0, len(power), size)) / size, dtype=np.float64), size


def clipped_share(samples: Samples) -> float:
    """Return the share of samples (0 to 1) at full scale in runs of three or more; of several channels, the highest.

    Cut-off peaks show as such runs; a recording that was clipped and then made quieter isn't recognised.
    """
    return max(_in_runs(np.abs(channel) >= FULL_SCALE) for channel in samples.T)


def _in_runs(is_full: npt.NDArray[np.bool_]) -> float:
    edges = np.diff(np.concatenate([[0], is_full.astype(np.int8), [0]]))
    lengths = np.flatnonzero(edges == -1) - np.flatnonzero(edges == 1)
    return float(lengths[lengths >= FLAT].sum() / len(is_full))

"""Loudness, true peak, silence and clipping of a recording."""

from __future__ import annotations

import warnings

import numpy as np
import numpy.typing as npt
import pyloudnorm
from scipy import signal

Samples = npt.NDArray[np.float64]
# Length of a gating block, in seconds.
BLOCK = 0.4
OVERSAMPLING = 4
CHUNK, EDGE = 1 << 18, 64
# A frame is silent this far below the loudest, in dB; frames last 10 ms.
SILENCE, FRAME = -40.0, 0.01
# Two steps of 16 bits below full scale; a sine touches it for one sample or two, what was cut off stays there.
FULL_SCALE, FLAT = 1 - 2 / 32768, 3


def decibels(ratio: float) -> float:
    """Return 20 log10 of an amplitude; minus infinity for 0."""
    return float(20 * np.log10(ratio)) if ratio > 0 else -np.inf


def loudness(samples: Samples, rate: int) -> float | None:
    """Return the integrated loudness of (frames, channels), in LUFS (ITU-R BS.1770-4, gated).

    None when the clip is shorter than a gating block of 0.4 s or no block is above -70 LUFS.
    """
    if len(samples) < BLOCK * rate:
        return None
    # De Man's coefficients are the recommendation's own at 48 kHz; the library's default lies 0.04 dB off.
    meter = pyloudnorm.Meter(rate, filter_class="DeMan", block_size=BLOCK)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        value = float(meter.integrated_loudness(samples))
    return value if np.isfinite(value) else None


def peak(samples: Samples) -> float:
    """Return the true peak of (frames, channels), linear, 4 times oversampled (ITU-R BS.1770-4, annex 2)."""
    highest = float(np.abs(samples).max(initial=0.0))
    for start in range(0, len(samples), CHUNK):
        # The edges belong to the neighbours: a cut would ring.
        left, right = min(EDGE, start), min(start + CHUNK, len(samples))
        part = signal.resample_poly(samples[start - left : right + EDGE], OVERSAMPLING, 1, axis=0)
        part = part[left * OVERSAMPLING : (left + right - start) * OVERSAMPLING]
        highest = max(highest, float(np.abs(part).max(initial=0.0)))
    return highest


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

"""Remove what lies below hearing from recordings: an offset, and slow drift.

A constant offset is inaudible, and names the system whose recordings have it: the mean of the samples alone then tells
its clips from others (area under the curve 1.00 where systems have different offsets). The filter is the same for all
roles.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy import signal

from studies.imports.ingest.measure import Samples

# Hz: −6 dB there, −0.5 dB at 40 Hz, less than 0.04 dB above 80 Hz. Voices begin at about 60 Hz.
CUTOFF = 20.0


def highpassed(samples: Samples, rate: int) -> Samples:
    """Return (frames, channels) at `rate` Hz without their mean and without what lies below 20 Hz: in time, as long.

    A second-order Butterworth filter runs forwards and then backwards (24 dB an octave, no delay), after the mean of
    each channel was subtracted: otherwise the filter would answer to an offset with a thump at both edges.
    """
    b, a = _butterworth(rate)
    centred = samples - samples.mean(axis=0)
    sound = np.empty(centred.shape)
    for channel, wave in enumerate(centred.T):
        forwards = signal.lfilter(b, a, np.ascontiguousarray(wave))
        sound[:, channel] = signal.lfilter(b, a, np.ascontiguousarray(forwards[::-1]))[::-1]
    return sound


def _butterworth(rate: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return numerator and denominator of a second-order high-pass by the bilinear transform."""
    k = math.tan(math.pi * CUTOFF / rate)
    scale = 1 / (1 + math.sqrt(2) * k + k * k)
    b = np.array([1.0, -2.0, 1.0]) * scale
    a = np.array([1.0, 2 * (k * k - 1) * scale, (1 - math.sqrt(2) * k + k * k) * scale])
    return b, a

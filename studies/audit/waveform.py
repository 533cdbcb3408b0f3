"""The waveform of a clip as a short text: one character per part of the clip."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    # Loads an engine of statistics, which the web process does without.
    from studies.imports.ingest.measure import Samples

STRETCHES = 60
# A digit of base 36 for the square root of the peak, so that quiet speech shows, too.
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def peaks(samples: Samples) -> str:
    """Return the peak of each part of a clip as one digit; empty without samples."""
    if not len(samples):
        return ""
    levels = np.abs(samples).max(axis=1)
    starts = np.linspace(0, len(levels), min(STRETCHES, len(levels)), endpoint=False).astype(int)
    heights = np.sqrt(np.clip(np.maximum.reduceat(levels, starts), 0, 1)) * (len(DIGITS) - 1)
    return "".join(DIGITS[round(float(height))] for height in heights)

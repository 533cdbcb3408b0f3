"""Durations of renditions."""

from __future__ import annotations

import math

# Renditions end on a step of 1/50 s: the frames that a rate conversion leaves would reveal the original's rate.
STEPS = 50


def filled(seconds: float) -> float:
    """Return the seconds of the rendition of a recording: rounded up to the next step of 1/50 s."""
    return math.ceil(round(seconds * STEPS, 6)) / STEPS

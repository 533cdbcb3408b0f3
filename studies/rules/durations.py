"""How long a rendition is."""

from __future__ import annotations

import math

# Renditions end on a step of 1/50 s: the frames that a rate conversion leaves would tell the original's rate.
STEPS = 50


def filled(seconds: float) -> float:
    """Return how many seconds the rendition of a recording of so many has: up to the next step of 1/50 s."""
    return math.ceil(round(seconds * STEPS, 6)) / STEPS

"""The order of a batch with separate passes: all clips for one scale, then all again for the next."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

Trial = TypeVar("Trial")


def in_passes(trials: Sequence[Trial], *, passes: int, rng: Random) -> list[tuple[Trial, int]]:
    """Return (trial, number of the pass from 1) pairs: all trials in each pass, in a new random order."""
    return [(trial, number) for number in range(1, passes + 1) for trial in rng.sample(list(trials), len(trials))]

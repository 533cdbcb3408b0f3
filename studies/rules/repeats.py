"""The order of a batch with repeated trials, for test–retest reliability."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

Trial = TypeVar("Trial")


def most_repeats(trials: int, distance: int) -> int:
    """Return how many trials of a batch can be repeated at this distance; `trials` counts traps, but no repeats."""
    return max(0, trials - distance + 1)


def in_order(
    tests: Sequence[Trial], traps: Sequence[Trial], *, repeats: int, distance: int, rng: Random
) -> list[tuple[Trial, int]]:
    """Return all trials in random order, and some tests again: (trial, 0), and later (trial, 1) for a repeat.

    A repeat comes at least `distance` places after its first. In a short batch, repeats that don't fit are left out.
    """
    size = len(tests) + len(traps)
    early = most_repeats(size, distance)
    repeated = rng.sample(list(tests), min(repeats, len(tests), early))
    order = [trial for trial in (*tests, *traps) if trial not in repeated]
    rng.shuffle(order)
    for place, trial in zip(sorted(rng.sample(range(early), len(repeated))), repeated, strict=True):
        order.insert(place, trial)
    placed = [(trial, 0) for trial in order]
    for trial in repeated:
        # Later insertions move both or only the repeat, so the distance never shrinks.
        first = placed.index((trial, 0))
        placed.insert(rng.randint(first + distance, len(placed)), (trial, 1))
    return placed

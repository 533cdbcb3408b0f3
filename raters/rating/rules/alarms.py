"""Detect a rule that suddenly excludes nearly all batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

# With fewer batches before or after a change, nothing can be concluded.
LEAST = 10
NEARLY_ALL = 0.8
FEW = 0.3


@dataclass(frozen=True, slots=True)
class Sudden:
    """A rule that excludes nearly all of the newest batches, but excluded few of those before."""

    taken: int
    of: int
    taken_before: int
    before: int


def sudden(taken: Sequence[bool]) -> Sudden | None:
    """Return the longest newest part excluded nearly completely, after a part excluded rarely; None if there is none.

    `taken` tells for each finished batch, oldest first, whether the rule excluded it.
    """
    totals = [0, *accumulate(map(int, taken))]
    for before in range(LEAST, len(taken) - LEAST + 1):
        of, earlier = len(taken) - before, totals[before]
        newest = totals[-1] - earlier
        # The newest part must start with an excluded batch, so that usable ones before the change don't belong to it.
        if taken[before] and newest >= NEARLY_ALL * of and earlier < FEW * before:
            return Sudden(newest, of, earlier, before)
    return None

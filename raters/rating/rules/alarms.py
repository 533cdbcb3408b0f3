"""Notice when a rule that excluded few suddenly excludes nearly everybody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

# Fewer batches say nothing about a rule, neither before nor since a change.
LEAST = 10
NEARLY_ALL = 0.8
FEW = 0.3


@dataclass(frozen=True, slots=True)
class Sudden:
    """The newest batches, of which a rule took nearly all, and those before them, of which it took few."""

    taken: int
    of: int
    taken_before: int
    before: int


def sudden(taken: Sequence[bool]) -> Sudden | None:
    """Return the longest newest part that a rule took nearly all of while it took few before; None if there is none.

    `taken` says of each finished batch, the oldest first, whether the rule took it.
    """
    totals = [0, *accumulate(map(int, taken))]
    for before in range(LEAST, len(taken) - LEAST + 1):
        of, earlier = len(taken) - before, totals[before]
        newest = totals[-1] - earlier
        # The newest part starts with a batch that was taken: those before the change belong to the earlier ones.
        if taken[before] and newest >= NEARLY_ALL * of and earlier < FEW * before:
            return Sudden(newest, of, earlier, before)
    return None

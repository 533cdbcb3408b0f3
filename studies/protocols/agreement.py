"""How many raters an item needs when its first ones disagree (SP-MCQA paper: two, a third, a fourth)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import combinations


def raters_needed(sheets: Sequence[Hashable], *, first: int, most: int) -> int:
    """Return how many usable sheets an item needs, given those it has in the order of answering.

    One more than `first` for as long as no two of the sheets so far are the same, and never more than `most`.
    """
    needed = first
    while needed <= len(sheets) and needed < most and not agree(sheets[:needed]):
        needed += 1
    return needed


def agree(sheets: Sequence[Hashable]) -> bool:
    """Say whether any two sheets are the same."""
    return any(one == other for one, other in combinations(sheets, 2))

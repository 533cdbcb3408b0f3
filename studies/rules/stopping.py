"""Parse the interim analyses of a study and their contrasts (rule D10)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

SHARE = re.compile(r"(\d{1,3}(?:\.\d+)?)\s*%")
NUMBER = re.compile(r"\d{1,9}")
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
BETWEEN = re.compile(r"\s+vs\.?\s+")
HOW = "write a share of the ratings wanted (50 %), a number of usable ratings (2000) or a day (2026-12-01)"


@dataclass(frozen=True, slots=True)
class PlannedLook:
    """An interim analysis, due at a share of the ratings wanted, at a number of ratings, or on a day."""

    share: float | None = None
    ratings: int | None = None
    day: date | None = None

    def is_due(self, *, ratings: int, wanted: int, today: date) -> bool:
        """True if it is due."""
        if self.day is not None:
            return today >= self.day
        return ratings >= self.needed(wanted)

    def needed(self, wanted: int) -> int:
        """Return the number of usable ratings, of those `wanted`, at which it is due; 0 for one on a day."""
        if self.ratings is not None:
            return self.ratings
        # Slightly less: otherwise 70 % of 10 would be 7.000000000000001 and wait for an eighth rating.
        return 0 if self.share is None else -int(-(self.share * wanted - 1e-9) // 1)

    @property
    def _kind(self) -> str:
        return "day" if self.day else "ratings" if self.ratings else "share"

    @property
    def _at(self) -> float:
        return float(self.day.toordinal() if self.day else self.ratings or self.share or 0)


def look(line: str) -> PlannedLook:
    """Parse one interim analysis; raise `ValueError` with a sentence for the researcher."""
    if match := SHARE.fullmatch(line):
        share = float(match[1]) / 100
        if not 0 < share <= 1:
            raise ValueError(f"“{line}” is not a share above 0 % and up to 100 %")
        return PlannedLook(share=share)
    if DAY.fullmatch(line):
        try:
            return PlannedLook(day=date.fromisoformat(line))
        except ValueError:
            raise ValueError(f"“{line}” is not a date") from None
    if NUMBER.fullmatch(line) and int(line):
        return PlannedLook(ratings=int(line))
    raise ValueError(f"“{line}” can’t be read: {HOW}")


def looks(lines: Sequence[str]) -> tuple[PlannedLook, ...]:
    """Parse all interim analyses, of one kind and in order; raise `ValueError` with a sentence for the researcher."""
    all_looks = tuple(look(line) for line in lines)
    if len({each._kind for each in all_looks}) > 1:
        raise ValueError("write all interim analyses in the same way: as shares, as numbers of ratings, or as days")
    if any(later._at <= earlier._at for earlier, later in pairwise(all_looks)):
        raise ValueError("write the interim analyses in their order, each once")
    return all_looks


def contrast(line: str) -> tuple[str, str]:
    """Parse “alpha vs beta” as two systems; raise `ValueError` with a sentence for the researcher."""
    sides = [side.strip() for side in BETWEEN.split(line)]
    if len(sides) != 2 or not all(sides) or sides[0] == sides[1]:
        raise ValueError(f"“{line}” does not name two systems: write alpha vs beta")
    return sides[0], sides[1]


def contrasts(lines: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Parse all contrasts, each pair once; raise `ValueError` with a sentence for the researcher."""
    pairs = tuple(contrast(line) for line in lines)
    if len({frozenset(pair) for pair in pairs}) < len(pairs):
        raise ValueError("write each pair of systems once")
    return pairs

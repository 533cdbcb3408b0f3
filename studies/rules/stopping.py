"""When results are looked at before the end, and at which contrasts: read from lines of text (rule D10)."""

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
    """A look: due at a share of the ratings wanted, at a number of usable ratings, or on a day; the others are None."""

    share: float | None = None
    ratings: int | None = None
    day: date | None = None

    def is_due(self, *, ratings: int, wanted: int, today: date) -> bool:
        """Say whether it is time for it."""
        if self.day is not None:
            return today >= self.day
        return ratings >= self.needed(wanted)

    def needed(self, wanted: int) -> int:
        """Return at how many usable ratings it is due, of those `wanted`; 0 for a look on a day."""
        if self.ratings is not None:
            return self.ratings
        # A hair less, or 70 % of 10 would be 7.000000000000001 and wait for an eighth.
        return 0 if self.share is None else -int(-(self.share * wanted - 1e-9) // 1)

    @property
    def _kind(self) -> str:
        return "day" if self.day else "ratings" if self.ratings else "share"

    @property
    def _at(self) -> float:
        return float(self.day.toordinal() if self.day else self.ratings or self.share or 0)


def look(line: str) -> PlannedLook:
    """Read one look; raises ValueError in words."""
    if match := SHARE.fullmatch(line):
        share = float(match[1]) / 100
        if not 0 < share <= 1:
            raise ValueError(f"“{line}” is no share above 0 % and up to 100 %")
        return PlannedLook(share=share)
    if DAY.fullmatch(line):
        try:
            return PlannedLook(day=date.fromisoformat(line))
        except ValueError:
            raise ValueError(f"“{line}” is no day of the calendar") from None
    if NUMBER.fullmatch(line) and int(line):
        return PlannedLook(ratings=int(line))
    raise ValueError(f"“{line}” can’t be read: {HOW}")


def looks(lines: Sequence[str]) -> tuple[PlannedLook, ...]:
    """Read all looks of a study, which are of one kind and come one after the other; raises ValueError in words."""
    all_looks = tuple(look(line) for line in lines)
    if len({each._kind for each in all_looks}) > 1:
        raise ValueError("name all looks in one way: as shares, as numbers of ratings, or as days")
    if any(later._at <= earlier._at for earlier, later in pairwise(all_looks)):
        raise ValueError("name the looks in the order in which they come, each once")
    return all_looks


def contrast(line: str) -> tuple[str, str]:
    """Read “alpha vs beta” as two systems; raises ValueError in words."""
    sides = [side.strip() for side in BETWEEN.split(line)]
    if len(sides) != 2 or not all(sides) or sides[0] == sides[1]:
        raise ValueError(f"“{line}” names no two systems: write them as alpha vs beta")
    return sides[0], sides[1]


def contrasts(lines: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Read all contrasts of a study, each pair once; raises ValueError in words."""
    pairs = tuple(contrast(line) for line in lines)
    if len({frozenset(pair) for pair in pairs}) < len(pairs):
        raise ValueError("name each pair of systems once")
    return pairs

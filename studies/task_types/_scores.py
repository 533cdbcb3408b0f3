"""Scales of scores, and tables of codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ScoreScale:
    """The scale of the score that pages, planning and reports read from the rows."""

    name: str
    low: float
    high: float
    unit: str
    part: str
    codes: Mapping[str, str] = field(default_factory=dict)
    # What the score counts, where pages need words of their own: "copies" recognised, choices as "best" and worst, or
    # "errors", where less is better.
    about: str = ""
    # How the score is computed, in whole sentences of `say`.
    notes: tuple[str, ...] = ()

    @property
    def sign(self) -> int:
        """Return the factor that turns scores into "higher is better"."""
        return score_sign(self.about)

    @property
    def factor(self) -> int:
        """Return the factor from stored scores to the unit of pages."""
        return shown_factor(self.unit, self.high)

    @property
    def shown(self) -> tuple[float, float]:
        """Return both ends of the scale in the unit that pages show."""
        return self.factor * self.low, self.factor * self.high

    @property
    def width(self) -> float:
        """Return how wide the scale is, in the unit that pages show."""
        return self.factor * (self.high - self.low)


def score_sign(about: str) -> int:
    """Return −1 for scores that count "errors", otherwise 1."""
    return -1 if about == "errors" else 1


def shown_factor(unit: str, high: float) -> int:
    """Return the factor from stored to shown scores: shares are stored from 0 to 1 and shown in percent."""
    return 100 if unit == "%" and high <= 1 else 1


@dataclass(frozen=True, slots=True)
class CodeBreakdown:
    """A table of codes: percent of all usable answers, or of the rows of part `per`.

    `merged` adds lines that count several codes as one.
    """

    title: str
    part: str
    labels: Mapping[str, str]
    per: str = ""
    merged: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

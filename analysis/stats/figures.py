"""Figures that engines return and analyses store unchanged. Loads no engine, so that pages can read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

# A system's code in an engine, or its name in stored results.
System = TypeVar("System", int, str)


@dataclass(frozen=True, slots=True)
class Distance:
    """Kendall's distance in [0, 1] of two orders of `n` things: 0 same, ½ unrelated, 1 reversed; two-sided p.

    `method` is "exact" or "permutation"; `smallest_p` is the smallest p that it can give.
    """

    distance: float
    p: float
    method: str
    smallest_p: float
    n: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """An interval shown only for comparison, with its label: "naive", "paper" or "raters only"."""

    label: str
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Contrast(Generic[System]):
    """`first` − `second`: its own interval, the simultaneous one (`low_all`, `high_all`), p adjusted for all pairs."""

    first: System
    second: System
    difference: float
    error: float
    df: float
    low: float
    high: float
    low_all: float
    high_all: float
    p: float


@dataclass(frozen=True, slots=True)
class Correlation:
    """Pearson's r and Spearman's ρ over `n` pairs."""

    pearson: float
    spearman: float
    n: int


@dataclass(frozen=True, slots=True)
class YesNo:
    """Counts and figures of a yes/no test at a threshold; human is positive.

    `precision` is None if nothing was called human; F1 is then 0. `always` is the F1 of calling everything human.
    """

    hits: int
    misses: int
    false_alarms: int
    rejections: int
    precision: float | None
    recall: float
    f1: float
    balanced: float
    always: float


@dataclass(frozen=True, slots=True)
class Ceiling:
    """Kendall's distance between the orders by two halves of the raters, over `splits` random halvings.

    `distance` is the mean; `low` and `high` contain 95 % of the halvings. Each half has half of the raters, so the
    order by all raters is more reliable than this.
    """

    distance: float
    low: float
    high: float
    raters: int
    splits: int


@dataclass(frozen=True, slots=True)
class Mean:
    """A group's score, on the scale of its ratings; `low` and `high` are None if no interval may be given.

    If one rater gave over a third of the ratings, `rater_share` is that share and `rater_mean` the mean over raters.
    """

    ratings: int
    raters: int
    clips: int
    mean: float
    low: float | None
    high: float | None
    method: str
    clip_mean: float
    equal_mean: float
    rater_share: float | None = None
    rater_mean: float | None = None

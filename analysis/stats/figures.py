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
class SystemStrength(Generic[System]):
    """A system's log-strength; those of all systems add to 0, and hold for the population of raters and texts.

    `low` and `high` are None for the reason in `note`. Systems share a letter if and only if they don't differ; "a" is
    the strongest, and a system without an interval has none.
    """

    name: System
    value: float
    low: float | None
    high: float | None
    answers: int
    raters: int
    texts: int
    letters: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class PairProbability(Generic[System]):
    """The probability by the model that `first` is preferred to `second`, and p adjusted for all pairs.

    The probability holds for an answer that prefers one of the two, with either one first equally often. Its own
    interval is `low` to `high`, the simultaneous one `low_all` to `high_all`.
    """

    first: System
    second: System
    probability: float
    low: float
    high: float
    low_all: float
    high_all: float
    p: float


@dataclass(frozen=True, slots=True)
class HalvesOfAnswers:
    """Pearson's correlation of scores by two halves of the answers: its mean over `splits` random halvings.

    `low` and `high` contain 95 % of the halvings. Each half has half of the answers to every tuple, so all answers are
    more reliable than this (Kiritchenko and Mohammad 2017).
    """

    pearson: float
    low: float
    high: float
    splits: int


@dataclass(frozen=True, slots=True)
class Reliability:
    """A figure with its 95 % interval over raters; None without an interval."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Icc:
    """ICC(A,1) of single ratings and ICC(A,k) of clips' means (McGraw and Wong 1996), in [0, 1].

    `k` is the harmonic mean of the raters of a clip. `is_complete`: all raters rated all clips.
    """

    single: float
    mean: float
    k: float
    clips: int
    raters: int
    is_complete: bool


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

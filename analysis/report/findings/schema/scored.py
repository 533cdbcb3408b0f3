"""Scores, comparisons, detection."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class Comparison(TypedDict):
    """An interval for comparison only: label "naive", "paper" or "raters only"."""

    label: str
    low: float
    high: float


class Group(TypedDict):
    """A group's score with the default interval (raters and clips), and what else is printed beside it.

    `method`, `error`, `df`, `note` as `twoway.Interval`. `clip_mean`: of clip means; `equal_mean`: equal weights over
    voice × dimension; `is_apart`: they differ from `mean` by over a hundredth of the scale. `shares`: of each code
    of the scale (only where it has codes). `first`, `rater_mean`: SP-MCQA alone (rule C5). `system` tells voices of the
    same name apart.
    """

    name: str
    kind: str
    system: str
    mean: float
    low: float | None
    high: float | None
    method: str
    error: float
    df: int
    note: str
    ratings: int
    raters: int
    clips: int
    sd: float
    clip_mean: float
    equal_mean: float
    is_apart: bool
    comparisons: list[Comparison]
    without_traps: float
    without_traps_ratings: int
    shares: dict[str, float]
    first: NotRequired[float | None]
    first_ratings: NotRequired[int]
    rater_mean: NotRequired[float]


class CrossedRow(TypedDict):
    """A system across benchmarks, conditions, dimensions or voices; `mu` is the unweighted mean of `of` cells (C2)."""

    name: str
    kind: str
    cells: list[Group | None]
    mu: float
    of: int


class Crossed(TypedDict):
    """Systems down, `columns` across."""

    columns: list[str]
    rows: list[CrossedRow]


class Scores(TypedDict):
    """Groups by system, voice, dimension, benchmark, condition, domain, box and overall: those that tell something.

    Highest first. `cells` is voice × dimension (ATT, Table 6): `name` is the voice, `dimension` names the column.
    """

    by: dict[str, list[Group]]
    crossed: dict[str, Crossed]
    notes: list[str]


class Versus(TypedDict):
    """A system less human speech; `verdict` is non_inferior, inferior, undecided, or "" without a margin."""

    name: str
    difference: float
    low: float | None
    high: float | None
    verdict: str


class Baseline(TypedDict):
    """How human people sound: `source` "test", or "traps" (human traps of every full batch, valid or not; rule D2).

    `systems` compares each with human test clips; empty where there are none, as `note` says.
    """

    source: str
    human: Group
    margin: float | None
    systems: list[Versus]
    note: str


class Contrast(TypedDict):
    """`first` − `second`: its own interval, the simultaneous one (`low_all`, `high_all`), p adjusted for all pairs."""

    first: str
    second: str
    difference: float
    error: float
    df: float
    low: float
    high: float
    low_all: float
    high_all: float
    p: float


class Tier(TypedDict):
    """A system's letters (two share one when they don't differ), its mean, and P(rank 1), P(rank 2) …"""

    name: str
    kind: str
    mean: float
    letters: str
    ranks: list[float]


class Contrasts(TypedDict):
    """All pairs of systems by the default variances, and tiers; `left_out` have too few raters or clips.

    `scope` says so where the variances count raters alone.
    """

    pairs: list[Contrast]
    tiers: list[Tier]
    left_out: list[str]
    scope: str
    ranks_from: str


class Signal(TypedDict):
    """d′, criterion c, β and AUC over human and synthetic clips, with 95 % intervals by raters and clips.

    `note` says why there is no interval, or what else it holds for.
    """

    name: str
    d_prime: float
    criterion: float
    beta: float
    auc: float
    d_prime_low: float | None
    d_prime_high: float | None
    auc_low: float | None
    auc_high: float | None
    human: int
    synthetic: int
    note: str


class Detection(TypedDict):
    """`overall`, each system against human speech, and d′ of single raters who answered enough (None: a dash)."""

    overall: Signal
    systems: list[Signal]
    raters: list[float | None]
    human_from: str


class Gap(TypedDict):
    """White box less black box of a system, or of all ("")."""

    name: str
    white: float
    black: float
    gap: float
    low: float | None
    high: float | None


class Distance(TypedDict):
    """Kendall's distance in [0, 1] of `n` things; two-sided p by `method` ("exact", "permutation")."""

    distance: float
    p: float
    method: str
    smallest_p: float
    n: int


class Boxes(TypedDict):
    """White against black box."""

    systems: list[Gap]
    overall: Gap
    ranks: Distance | None

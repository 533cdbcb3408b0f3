"""Groups with their scores, and systems across benchmarks, conditions, dimensions."""

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

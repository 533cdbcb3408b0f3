"""Scores of groups, and of systems across benchmarks, conditions, dimensions."""

from __future__ import annotations

from analysis.sections.shared import Record
from analysis.stats.figures import Comparison


class Group(Record):
    """A group's score with the default interval (raters and clips), and what else is printed next to it.

    `method`, `error`, `df`, `note` as `intervals.Interval`. `clip_mean`: of clip means; `equal_mean`: equal weights
    over voice × dimension; `is_apart`: they differ from `mean` by over a hundredth of the scale. `shares`: of each code
    of the scale (only where it has codes). `first`: SP-MCQA only (rule C5). `rater_mean`, over raters: SP-MCQA, and
    where one rater gave over a third of the ratings, `rater_share` (rule D12). `system` tells voices of the same name
    apart; `dimension` belongs to cells only.
    """

    name: str
    kind: str
    system: str
    dimension: str = ""
    mean: float
    low: float | None
    high: float | None
    method: str
    error: float
    df: float
    ratings: int
    raters: int
    pieces: int = 0
    note: str
    clips: int
    sd: float
    clip_mean: float
    equal_mean: float
    is_apart: bool
    comparisons: tuple[Comparison, ...]
    without_traps: float
    without_traps_ratings: int
    shares: dict[str, float]
    first: float | None = None
    first_ratings: int | None = None
    rater_mean: float | None = None
    rater_share: float | None = None


class CrossedRow(Record):
    """A system across benchmarks, conditions, dimensions or voices; `mu` is the unweighted mean of `of` cells (C2)."""

    name: str
    kind: str
    cells: tuple[Group | None, ...]
    mu: float
    of: int


class Crossed(Record):
    """Systems down, `columns` across."""

    columns: tuple[str, ...]
    rows: tuple[CrossedRow, ...]


class Scores(Record):
    """Groups by system, voice, dimension, benchmark, condition, domain, box and overall: those that tell something.

    Highest first. `cells` is voice × dimension (ATT, Table 6): `name` is the voice, `dimension` names the column.
    """

    by: dict[str, tuple[Group, ...]]
    crossed: dict[str, Crossed]
    notes: tuple[str, ...]

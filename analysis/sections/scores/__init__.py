"""Scores of groups, and of systems by benchmark, condition and dimension."""

from __future__ import annotations

from analysis.sections.shared import Record
from analysis.stats.figures import Comparison


class Group(Record):
    """A group's score with the default interval (raters and clips), and the other scores printed with it.

    `method`, `error`, `df`, `note` as in `intervals.Interval`. `clip_mean`: of clip means; `equal_mean`: equal weights
    over voice × dimension; `is_apart`: they differ from `mean` by over a hundredth of the scale. `shares`: of each code
    of the scale (only if it has codes). `first`: SP-MCQA only (rule C5). `rater_mean`, over raters: for SP-MCQA, and if
    one rater gave over a third of the ratings, `rater_share` (rule D12). `system` distinguishes voices of the same
    name; `dimension` is set in cells only. `is_seen`: the system was trained on this benchmark; only in `Crossed`.
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
    is_seen: bool = False


class CrossedRow(Record):
    """A system's scores by benchmark, condition, dimension or voice; `mu` is the unweighted mean of `of` cells (C2)."""

    name: str
    kind: str
    cells: tuple[Group | None, ...]
    mu: float
    of: int


class Crossed(Record):
    """Scores by system (rows) and `columns`."""

    columns: tuple[str, ...]
    rows: tuple[CrossedRow, ...]

    @property
    def has_seen(self) -> bool:
        return any(cell is not None and cell.is_seen for row in self.rows for cell in row.cells)


class Scores(Record):
    """Groups by system, voice, dimension, benchmark, condition, domain, box and overall, best first.

    Groupings without named groups are left out. `cells` is voice × dimension (ATT, Table 6): `name` is the voice,
    `dimension` names the column. `over`: only of tasks that compare systems, the baseline of all of them; empty if
    systems met several others.
    """

    by: dict[str, tuple[Group, ...]]
    crossed: dict[str, Crossed]
    notes: tuple[str, ...]
    over: str | None = None

    def in_box(self, system: str, box: str) -> Group | None:
        """Return the score of a system ("" = all) in a box, with its interval; None if it has none."""
        if not system:
            return next((group for group in self.by.get("box", ()) if group.name == box), None)
        crossed = self.crossed.get("box")
        cells = next((row.cells for row in crossed.rows if row.name == system and not row.kind), ()) if crossed else ()
        return next((cell for cell in cells if cell is not None and cell.name == box), None)

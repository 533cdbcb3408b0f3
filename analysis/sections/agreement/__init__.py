"""Agreement between raters: alpha, kappas, and the order of systems in two halves."""

from __future__ import annotations

from analysis.sections.shared import Record
from analysis.stats.figures import Distance


class Alpha(Record):
    """Krippendorff's alpha of one group ("" = all); None, with a note, if the answers don't vary."""

    name: str
    kind: str
    metric: str
    alpha: float | None
    low: float | None
    high: float | None
    units: int
    ratings: int


class Agreement(Record):
    """Alpha, kappas and halves; a figure is None if a note says why.

    `fleiss` needs the same number of ratings for all clips; `cohen` is the mean over pairs of raters; `halves` is
    Kendall's distance between the orders of systems in two halves of the raters.
    """

    alpha: tuple[Alpha, ...]
    fleiss: float | None
    cohen: float | None
    cohen_pairs: int
    halves: Distance | None
    notes: tuple[str, ...]

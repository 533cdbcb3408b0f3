"""Whether raters agree: alpha, kappas, and the order of systems in two halves."""

from __future__ import annotations

from analysis.sections.shared import Record
from analysis.stats.figures import Distance


class Alpha(Record):
    """Krippendorff's alpha of one group ("" = all); None with a note where there is nothing to disagree about."""

    name: str
    kind: str
    metric: str
    alpha: float | None
    low: float | None
    high: float | None
    units: int
    ratings: int


class Agreement(Record):
    """Alpha over clips; Fleiss' kappa where every clip has as many ratings; `cohen` of two raters each;
    Kendall's distance of the systems' order between two halves of the raters. None with a note why."""

    alpha: tuple[Alpha, ...]
    fleiss: float | None
    cohen: float | None
    cohen_pairs: int
    halves: Distance | None
    notes: tuple[str, ...]

"""Alpha, kappas, and the order of systems in two halves."""

from __future__ import annotations

from typing import TypedDict

from analysis.sections.shared import Distance


class Alpha(TypedDict):
    """Krippendorff's alpha of one group ("" = all); None with a note where there is nothing to disagree about."""

    name: str
    kind: str
    metric: str
    alpha: float | None
    low: float | None
    high: float | None
    units: int
    ratings: int


class Agreement(TypedDict):
    """Alpha over clips; Fleiss' kappa where every clip has as many ratings; `cohen` of two raters each;
    Kendall's distance of the systems' order between two halves of the raters. None with a note why."""

    alpha: list[Alpha]
    fleiss: float | None
    cohen: float | None
    cohen_pairs: int
    halves: Distance | None
    notes: list[str]

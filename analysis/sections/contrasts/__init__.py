"""Systems against each other: all pairs, tiers, ranks."""

from __future__ import annotations

from analysis.sections.shared import Record
from analysis.stats.figures import Contrast


class Tier(Record):
    """A system's letters (two share one when they don't differ), its mean, and P(rank 1), P(rank 2) …"""

    name: str
    kind: str
    mean: float
    letters: str
    ranks: tuple[float, ...]


class Contrasts(Record):
    """All pairs of systems by the default variances, and tiers; `left_out` may have no interval, as `notes` say.

    `scope` says so where the variances count raters only.
    """

    pairs: tuple[Contrast[str], ...]
    tiers: tuple[Tier, ...]
    left_out: tuple[str, ...]
    # Analyses of earlier releases have none.
    notes: tuple[str, ...] = ()
    scope: str = ""
    ranks_from: str

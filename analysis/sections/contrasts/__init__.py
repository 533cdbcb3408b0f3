"""Comparisons of systems: all pairs, tiers, ranks."""

from __future__ import annotations

from analysis.sections.shared import Record
from analysis.stats.figures import Contrast


class Tier(Record):
    """A system's letters (systems that don't differ share one), its mean, and the probability of each rank."""

    name: str
    kind: str
    mean: float
    letters: str
    ranks: tuple[float, ...]


class Contrasts(Record):
    """All pairs of systems with the default variances, and tiers; `notes` say why `left_out` have no interval.

    `scope` is set if the variances are over raters only.
    """

    pairs: tuple[Contrast[str], ...]
    tiers: tuple[Tier, ...]
    left_out: tuple[str, ...]
    # Missing in analyses of earlier releases.
    notes: tuple[str, ...] = ()
    scope: str = ""
    ranks_from: str

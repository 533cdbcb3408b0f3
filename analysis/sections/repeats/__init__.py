"""Repeated trials: how far raters answer the same when they meet a trial again."""

from __future__ import annotations

from analysis.sections.shared import Record
from analysis.stats.figures import Reliability


class RepeatedScale(Record):
    """One part of the answers: `pairs` of ratings by `raters`; a figure is None where it isn't defined.

    `alike`: the share of pairs with the same answer. `difference`: the mean of second − first, in stored scores.
    `kappa` has quadratic weights if `is_weighted`.
    """

    part: str
    name: str
    unit: str
    high: float
    pairs: int
    raters: int
    alike: float
    difference: Reliability | None
    icc: Reliability | None
    kappa: Reliability | None
    is_weighted: bool
    notes: tuple[str, ...]


class Repeats(Record):
    """The parts that were rated twice, at least `distance` trials apart."""

    distance: int
    scales: tuple[RepeatedScale, ...]

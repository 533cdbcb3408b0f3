"""White box minus black box."""

from __future__ import annotations

from analysis.sections.shared import Record
from analysis.stats.figures import Distance


class Gap(Record):
    """The scores of a system, or of all (""), in white and black box, and their difference.

    `note` says why the difference has no interval.
    """

    name: str
    white: float
    black: float
    gap: float
    low: float | None
    high: float | None
    note: str = ""


class Boxes(Record):
    """Differences between white and black box."""

    systems: tuple[Gap, ...]
    overall: Gap
    ranks: Distance | None

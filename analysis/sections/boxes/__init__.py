"""White box less black box."""

from __future__ import annotations

from analysis.sections.shared import Record
from analysis.stats.figures import Distance


class Gap(Record):
    """White box less black box of a system, or of all ("")."""

    name: str
    white: float
    black: float
    gap: float
    low: float | None
    high: float | None


class Boxes(Record):
    """White against black box."""

    systems: tuple[Gap, ...]
    overall: Gap
    ranks: Distance | None

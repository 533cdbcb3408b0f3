"""Seconds per clip, by system."""

from __future__ import annotations

from analysis.sections.shared import Record


class Seconds(Record):
    """A system's clips ("" = all), and their response and decision times in seconds; None if unknown (rule C4)."""

    name: str
    kind: str
    clips: int
    response_median: float | None
    response_mean: float | None
    decision_median: float | None
    decision_mean: float | None


class Times(Record):
    """Time per clip."""

    rows: tuple[Seconds, ...]

"""Seconds per clip, by system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.sections.shared import Record

if TYPE_CHECKING:
    from analysis.sections.inputs import SystemTimes


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


def seconds(row: SystemTimes) -> Seconds:
    """Return a row of the results from the times of a system."""
    response, decision = row.response, row.decision
    return Seconds(
        name=row.name,
        kind=row.kind,
        clips=row.clips,
        response_median=response.median if response else None,
        response_mean=response.mean if response else None,
        decision_median=decision.median if decision else None,
        decision_mean=decision.mean if decision else None,
    )

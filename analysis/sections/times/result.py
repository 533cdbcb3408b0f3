"""Seconds a clip, by system."""

from __future__ import annotations

from typing import TypedDict


class Seconds(TypedDict):
    """Of a system ("" = all): clips heard, seconds of response and decision; None where not known (rule C4)."""

    name: str
    kind: str
    clips: int
    response_median: float | None
    response_mean: float | None
    decision_median: float | None
    decision_mean: float | None


class Times(TypedDict):
    """Time per clip."""

    rows: list[Seconds]

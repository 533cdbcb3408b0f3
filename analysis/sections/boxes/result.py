"""White box less black box."""

from __future__ import annotations

from typing import TypedDict

from analysis.sections.shared import Distance


class Gap(TypedDict):
    """White box less black box of a system, or of all ("")."""

    name: str
    white: float
    black: float
    gap: float
    low: float | None
    high: float | None


class Boxes(TypedDict):
    """White against black box."""

    systems: list[Gap]
    overall: Gap
    ranks: Distance | None

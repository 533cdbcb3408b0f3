"""External metrics beside people's scores."""

from __future__ import annotations

from typing import Any, TypedDict


class Correlation(TypedDict):
    """A metric against scores; written by whoever adds metrics."""

    name: str
    unit: str
    n: int
    pearson: float | None
    spearman: float | None
    kendall: float | None


class Metrics(TypedDict):
    """External metrics beside the human scores; empty where none was imported."""

    tables: list[dict[str, Any]]

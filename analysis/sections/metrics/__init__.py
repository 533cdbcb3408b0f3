"""External metrics next to people's scores."""

from __future__ import annotations

from analysis.sections.shared import Record, Refusal
from analysis.stats.figures import Correlation


class SystemMeans(Record):
    """A system's means over the clips that both have scored: the metric's `mean` in its own unit, people's `score`."""

    name: str
    kind: str
    mean: float
    score: float
    clips: int
    ratings: int


class Metric(Record):
    """One metric; `direction` is higher or lower (is better), `scale` its ends where they are known.

    `scored`, `failed` and `missing` count the study's clips. `clip` and `system` correlate its values with people's
    scores over clips and over systems; human recordings are left out.
    """

    name: str
    source: str
    direction: str
    scale: tuple[float, float] | None
    scored: int
    failed: int
    missing: int
    systems: tuple[SystemMeans, ...]
    clip: Correlation | Refusal
    system: Correlation | Refusal


class Metrics(Record):
    """External metrics next to the human scores; empty where none was imported."""

    tables: tuple[Metric, ...]

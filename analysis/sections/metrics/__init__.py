"""External metrics compared with listeners."""

from __future__ import annotations

from analysis.sections.shared import Record, Refusal
from analysis.stats.figures import Correlation


class SystemMeans(Record):
    """A system's means over clips that both have scored: the metric's `mean` in its own unit, listeners' `score`."""

    name: str
    kind: str
    mean: float
    score: float
    clips: int
    ratings: int


class Metric(Record):
    """One metric; `direction` is higher or lower (is better), `scale` its ends if known.

    `scored`, `failed` and `missing` count the study's clips. `clip` and `system` correlate the metric with listeners'
    scores over clips and over systems, without human recordings.
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
    """External metrics and listeners' scores; empty if none was imported."""

    tables: tuple[Metric, ...]

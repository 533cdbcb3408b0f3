"""A metric's values for a study's clips, prepared for comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.metrics import queries as metrics_queries
from analysis.metrics.models import MetricSet

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Machine:
    """A metric set with its values {clip: value}, and the clips and dimensions in its training data.

    `listeners` is −1 if less is better in listeners' scores.
    """

    of: MetricSet
    values: Mapping[int, float]
    seen: frozenset[int]
    dimensions: frozenset[str]
    listeners: int = 1

    @classmethod
    def read(cls, of: MetricSet, listeners: int = 1) -> Machine:
        seen, dimensions = frozenset(metrics_queries.trained_on(of)), frozenset(metrics_queries.dimensions_seen(of))
        return cls(of, metrics_queries.values(of.pk), seen, dimensions, listeners)

    @property
    def sign(self) -> int:
        """The factor that turns values into "higher is better": 1 or −1."""
        return -1 if self.of.direction == MetricSet.Direction.LOWER else 1

    def mapped(self, values: ArrayLike) -> Array | None:
        """Return values on a scale from 0 (worst) to 1 (best); None if the metric's scale is unknown."""
        low, high = self.of.low, self.of.high
        if low is None or high is None:
            return None
        share: Array = (np.asarray(values, dtype=np.float64) - low) / (high - low)
        return share if self.sign > 0 else 1 - share

    @property
    def formula(self) -> str:
        """The mapping as printed, such as (m − 1) / 4; empty without a scale."""
        low, high = self.of.low, self.of.high
        if low is None or high is None:
            return ""
        ends = (low, high) if self.sign > 0 else (high, low)
        above = "m" if ends[0] == 0 else f"(m − {ends[0]:g})" if self.sign > 0 else f"({ends[0]:g} − m)"
        if self.sign < 0 and ends[0] == 0:
            above = "−m"
        return above if high - low == 1 else f"{above} / {high - low:g}"

"""Agreement of raters: Krippendorff's alpha, kappas of categories, intraclass correlations of a complete table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from analysis.stats.design import Codes, Floats, NotEstimable
from core.text.words import say

Metric = Literal["nominal", "ordinal", "interval", "ratio"]


@dataclass(frozen=True, slots=True)
class Alpha:
    """Alpha by `metric` over `units` with two ratings or more, at most 1, with its bootstrap interval.

    `alpha` is None if all those ratings are the same.
    """

    metric: Metric
    alpha: float | None
    low: float | None
    high: float | None
    units: int
    ratings: int


def krippendorff(
    values: Floats, unit: Codes, rater: Codes, metric: Metric, rng: np.random.Generator, *, draws: int = 500
) -> Alpha:
    """Return alpha of `values` (n,) by `rater` (n,) on `unit` (n,), with at most one rating per rater and unit.

    α = 1 − D_o / D_e (Krippendorff 2011). The 95 % interval resamples raters and units, both with replacement; pairs of
    a rater with a copy of the same rater don't count as agreement. Linear in n for a given number of different values.
    Raises NotEstimable if no unit has two ratings.
    """
    table = _Table.of(values, unit, rater)
    everywhere = np.ones(table.raters), np.ones(table.units)
    estimate = table.alpha(metric, *everywhere)
    drawn = [
        table.alpha(
            metric,
            np.bincount(rng.integers(table.raters, size=table.raters), minlength=table.raters).astype(np.float64),
            np.bincount(rng.integers(table.units, size=table.units), minlength=table.units).astype(np.float64),
        )
        for _ in range(draws if estimate is not None else 0)
    ]
    known = np.array([alpha for alpha in drawn if alpha is not None])
    # Alpha is undefined in samples in which all ratings agree; if most samples are like that, there is no interval.
    ends = np.quantile(known, [0.025, 0.975]) if estimate is not None and len(known) > draws / 2 else None
    low, high = (None, None) if ends is None else (float(ends[0]), float(ends[1]))
    return Alpha(metric, estimate, low, high, table.units, len(table.value))


@dataclass(frozen=True, slots=True)
class _Table:
    value: Codes
    unit: Codes
    rater: Codes
    levels: Floats

    @classmethod
    def of(cls, values: Floats, unit: Codes, rater: Codes) -> _Table:
        _, codes, sizes = np.unique(unit, return_inverse=True, return_counts=True)
        is_shared = sizes[codes.reshape(-1)] > 1
        if not is_shared.any():
            raise NotEstimable(say("No clip has two ratings, so agreement can't be judged."))
        levels, value = np.unique(values[is_shared], return_inverse=True)
        units, raters = (np.unique(column[is_shared], return_inverse=True)[1].reshape(-1) for column in (unit, rater))
        return cls(value.reshape(-1), units, raters, levels.astype(np.float64))

    @property
    def units(self) -> int:
        return int(self.unit.max()) + 1

    @property
    def raters(self) -> int:
        return int(self.rater.max()) + 1

    def alpha(self, metric: Metric, raters: Floats, units: Floats) -> float | None:
        """Return alpha with raters weighted by `raters` and units by `units`; None if undefined."""
        weight = raters[self.rater]
        size = len(self.levels)
        counts = np.bincount(self.unit * size + self.value, weight, minlength=self.units * size).reshape(-1, size)
        total = counts.sum(axis=1)
        possible = total**2 - np.bincount(self.unit, weight**2, minlength=self.units)
        alive = (possible > 0) & (units > 0)
        counts, total, possible, times = counts[alive], total[alive], possible[alive], units[alive]
        margin = times @ counts
        distance = _distances(metric, self.levels, margin)
        observed = float((times * total / possible) @ np.einsum("uv,uv->u", counts @ distance, counts))
        expected = float(margin @ distance @ margin)
        return 1 - (float(margin.sum()) - 1) * observed / expected if expected > 0 else None


def _distances(metric: Metric, levels: Floats, margin: Floats) -> Floats:
    """Return the squared distances (v, v) between values; `margin` (v,) is how often each occurs."""
    if metric == "nominal":
        return 1 - np.eye(len(levels))
    if metric == "ordinal":
        middle = np.cumsum(margin) - margin / 2
        ranked: Floats = (middle[:, None] - middle[None, :]) ** 2
        return ranked
    squared: Floats = (levels[:, None] - levels[None, :]) ** 2
    if metric == "interval":
        return squared
    sums = (levels[:, None] + levels[None, :]) ** 2
    return np.divide(squared, sums, out=np.zeros_like(squared), where=sums > 0)


def cohen(first: Codes, second: Codes) -> float | None:
    """Return Cohen's (1960) kappa of two columns (n,) of categories; None if agreement by chance is complete."""
    size = int(max(first.max(), second.max())) + 1
    table = np.bincount(first * size + second, minlength=size * size).reshape(size, size) / len(first)
    chance = float(table.sum(axis=0) @ table.sum(axis=1))
    return (float(np.trace(table)) - chance) / (1 - chance) if chance < 1 else None


def fleiss(counts: Floats) -> float | None:
    """Return Fleiss's (1971) kappa of `counts` (units, categories), the same number ≥ 2 of ratings for each unit.

    None if all ratings are the same. Raises NotEstimable if units differ in their number of ratings.
    """
    # Only workers need statsmodels.
    from statsmodels.stats.inter_rater import fleiss_kappa

    raters = counts.sum(axis=1)
    if len(np.unique(raters)) != 1 or raters[0] < 2:
        raise NotEstimable(say("Fleiss's kappa needs the same number of ratings, two or more, for every clip."))
    return float(fleiss_kappa(counts)) if np.count_nonzero(counts.sum(axis=0)) > 1 else None

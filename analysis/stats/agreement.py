"""Agreement of raters: Krippendorff's alpha, kappas of categories, intraclass correlations of a complete table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import stdtrit

from analysis.stats.design import Codes, Floats, NotEstimable
from core.text.words import say

Metric = Literal["nominal", "ordinal", "interval", "ratio"]


@dataclass(frozen=True, slots=True)
class Alpha:
    """Alpha by `metric` over `units` with two ratings or more, at most 1, with its bootstrap interval.

    `alpha` is None if all those ratings are the same. `texts` is the number of texts of the units.
    """

    metric: Metric
    alpha: float | None
    low: float | None
    high: float | None
    units: int
    texts: int
    ratings: int


def krippendorff(
    values: Floats,
    unit: Codes,
    rater: Codes,
    metric: Metric,
    rng: np.random.Generator,
    *,
    text: Codes | None = None,
    draws: int = 500,
) -> Alpha:
    """Return alpha of `values` (n,) by `rater` (n,) on `unit` (n,), with at most one rating per rater and unit.

    α = 1 − D_o / D_e (Krippendorff 2011). The 95 % interval is α ± t · SD of bootstrap samples of raters and `text`
    (n,), both with replacement (Owen 2007); units of a text are alike, by default each has its own. t has the smaller
    number of both minus 1 degrees of freedom, since quantiles of so few are too narrow. Pairs of a rater with a copy of
    the same rater don't count as agreement. Linear in n for a given number of different values. Raises NotEstimable if
    no unit has two ratings.
    """
    table = _Table.of(values, unit, rater, unit if text is None else text)
    estimate = table.alpha(metric, np.ones(table.raters), np.ones(table.texts))
    drawn = [
        table.alpha(metric, _resampled(table.raters, rng), _resampled(table.texts, rng))
        for _ in range(draws if estimate is not None else 0)
    ]
    known = np.array([alpha for alpha in drawn if alpha is not None])
    low = high = None
    # Alpha is undefined in samples in which all ratings agree; if most samples are like that, there is no interval.
    if estimate is not None and len(known) > draws / 2:
        reach = -float(stdtrit(max(min(table.raters, table.texts) - 1, 1), 0.025)) * float(known.std(ddof=1))
        low, high = max(estimate - reach, -1.0), min(estimate + reach, 1.0)
    return Alpha(metric, estimate, low, high, table.units, table.texts, len(table.value))


def _resampled(size: int, rng: np.random.Generator) -> Floats:
    """Return how often each of `size` is drawn with replacement."""
    return np.bincount(rng.integers(size, size=size), minlength=size).astype(np.float64)


@dataclass(frozen=True, slots=True)
class _Table:
    """Ratings of units that have two or more; `text_of` (units,) is each unit's text."""

    value: Codes
    unit: Codes
    rater: Codes
    text_of: Codes
    levels: Floats

    @classmethod
    def of(cls, values: Floats, unit: Codes, rater: Codes, text: Codes) -> _Table:
        _, codes, sizes = np.unique(unit, return_inverse=True, return_counts=True)
        is_shared = sizes[codes.reshape(-1)] > 1
        if not is_shared.any():
            raise NotEstimable(say("No clip has two ratings, so agreement can't be judged."))
        levels, value = np.unique(values[is_shared], return_inverse=True)
        units, raters, texts = (np.unique(column[is_shared], return_inverse=True)[1] for column in (unit, rater, text))
        text_of = np.zeros(int(units.max()) + 1, dtype=np.int64)
        text_of[units] = texts
        return cls(value, units, raters, text_of, levels.astype(np.float64))

    @property
    def units(self) -> int:
        return int(self.unit.max()) + 1

    @property
    def raters(self) -> int:
        return int(self.rater.max()) + 1

    @property
    def texts(self) -> int:
        return int(self.text_of.max()) + 1

    def alpha(self, metric: Metric, raters: Floats, texts: Floats) -> float | None:
        """Return alpha with raters weighted by `raters` and units by their text's `texts`; None if undefined."""
        weight, units = raters[self.rater], texts[self.text_of]
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

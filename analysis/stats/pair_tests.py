"""Tests and effect sizes of two systems' difference, next to the default interval; none of them decides (rule D7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import stats

from analysis.stats.design import Codes, Design, Floats
from analysis.stats.intervals import Difference
from analysis.stats.twoway import Means

FLIPS = 9999
# Up to this many differences, all 2^n signs are fewer than the drawn ones.
MOST_EXACT = 13
# Signs drawn at a time, to save memory.
CHUNK = 500
# Fewer differences can't give a p below .06.
LEAST = 5
# Rounding may part differences that are the same.
DECIMALS = 12
# Wilcoxon's p is exact up to this many differences without ties.
MOST_RANKED = 50


@dataclass(frozen=True, slots=True)
class PValue:
    """A two-sided p from `n` differences; `is_exact` is False if it was drawn or approximated."""

    n: int
    p: float
    is_exact: bool


def differences(design: Design, cluster: Codes, pairs: list[tuple[int, int]]) -> Floats:
    """Return (clusters, pairs): a cluster's mean for the first system minus its mean for the second, in score units.

    NaN where a cluster, such as a rater or a text, has no ratings of one of them. Each cluster counts once, however
    many ratings it has.
    """
    size = (int(cluster.max()) + 1, design.systems)
    cell = cluster * design.systems + design.system
    count = np.bincount(cell, minlength=size[0] * size[1])
    total = np.bincount(cell, design.score, minlength=size[0] * size[1])
    mean = np.where(count > 0, total / np.maximum(count, 1), np.nan).reshape(size)
    result: Floats = np.stack([mean[:, first] - mean[:, second] for first, second in pairs], axis=1)
    return result


def sign_flips(values: Floats, rng: np.random.Generator) -> tuple[PValue | None, ...]:
    """Test that each column of `values` (n, k) is symmetric about 0, by flipping signs; NaN are left out.

    The statistic is |Σ|. Exact over all 2^n flips up to 13 values, otherwise p = (1 + hits) / (1 + 9,999) with flips
    drawn by `rng`, the same for all columns (Phipson and Smyth 2010). None below 5 values.
    """
    known = ~np.isnan(values)
    filled, counts = np.where(known, values, 0.0), known.sum(axis=0)
    least = np.abs(filled.sum(axis=0)) - 1e-9 * np.abs(filled).sum(axis=0)
    hits = np.zeros(values.shape[1], dtype=np.int64)
    for done in range(0, FLIPS, CHUNK) if (counts > MOST_EXACT).any() else ():
        signs = rng.integers(2, size=(min(CHUNK, FLIPS - done), len(values)), dtype=np.int8)
        hits += (np.abs((2.0 * signs - 1) @ filled) >= least).sum(axis=0)
    return tuple(
        None
        if n < LEAST
        else PValue(int(n), (1 + int(hits[at])) / (1 + FLIPS), is_exact=False)
        if n > MOST_EXACT
        else PValue(int(n), _all_flips(filled[known[:, at], at], least[at]), is_exact=True)
        for at, n in enumerate(counts)
    )


def _all_flips(values: Floats, least: float) -> float:
    bits = np.arange(2 ** len(values))[:, None] >> np.arange(len(values)) & 1
    return float((np.abs((2.0 * bits - 1) @ values) >= least).mean())


def wilcoxon(values: Floats) -> PValue | None:
    """Return Wilcoxon's (1945) signed-rank test of `values` (n,); NaN and zeros are left out. None below 5 values.

    Exact up to 50 values without ties, otherwise by the Normal approximation with the variance for ties and without a
    correction for continuity (`scipy.stats.wilcoxon`).
    """
    rounded = np.round(values[~np.isnan(values)], DECIMALS)
    kept = rounded[rounded != 0]
    if len(kept) < LEAST:
        return None
    is_exact = len(kept) <= MOST_RANKED and len(np.unique(np.abs(kept))) == len(kept)
    method: Literal["exact", "approx"] = "exact" if is_exact else "approx"
    found = stats.wilcoxon(kept, correction=False, method=method)
    return PValue(len(kept), float(found.pvalue), is_exact)


def equivalence(difference: Difference, margin: float) -> float:
    """Return p of two one-sided tests that a difference lies within ∓ `margin` > 0 (Schuirmann 1987).

    The larger of both, from the error and degrees of freedom of the difference's own interval: p < .025 exactly when
    the 95 % interval lies within the margin.
    """
    lower, upper = difference.reach(-margin), -difference.reach(margin)
    return float(stats.t.sf(min(lower, upper), difference.estimate.df))


def pooled_sd(design: Design, first: int, second: int) -> float | None:
    """Return the SD of one rating within system, pooled over two systems: s² = Σ (n − 1) s_i² / Σ (n − 1).

    The difference of the means over it is Cohen's (1988) d of single ratings. None if no rating differs within system.
    """
    groups = [design.score[design.system == system] for system in (first, second)]
    squares = sum(float(((group - group.mean()) ** 2).sum()) for group in groups)
    freedom = sum(len(group) - 1 for group in groups)
    return None if freedom < 1 or squares <= 1e-18 else float(np.sqrt(squares / freedom))


def odds_ratio(
    group_means: Means, first: int, second: int, *, low: float, high: float, level: float = 0.95
) -> tuple[float, float, float] | None:
    """Return the ratio of two systems' odds of the `high` answer with its interval; all scores are `low` or `high`.

    Population-averaged: of the shares over all raters and texts, not for a typical rater. log OR = logit p₁ − logit p₂,
    with the two-way variance of its linearization and t on that contrast's degrees of freedom. None if a share is 0
    or 1, where the ratio isn't finite, or if the variance is 0.
    """
    shares = (group_means.mean[[first, second]] - low) / (high - low)
    if ((shares <= 0) | (shares >= 1)).any():
        return None
    weights = np.zeros(len(group_means.mean))
    weights[[first, second]] = np.array([1.0, -1.0]) / (shares * (1 - shares)) / (high - low)
    of_weights = group_means.estimate(weights)
    if of_weights.error <= 0:
        return None
    value = float(np.log(shares[0] / (1 - shares[0])) - np.log(shares[1] / (1 - shares[1])))
    reach = float(stats.t.isf((1 - level) / 2, of_weights.df)) * of_weights.error
    return float(np.exp(value)), float(np.exp(value - reach)), float(np.exp(value + reach))

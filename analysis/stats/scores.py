"""Mean scores of groups of ratings, with an interval that accounts for raters.

statsmodels is loaded on the first call: only workers need it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.stats.figures import Mean
from analysis.stats.refusals import too_few

Keys = NDArray[np.int64]
Scores = NDArray[np.float64]
LEVEL = 0.95


def clustered(scores: NDArray[np.float64], clusters: NDArray[np.int64], *, level: float) -> tuple[float, float]:
    """Return the interval of the mean of `scores` (n,) when those of one cluster (n,) belong together.

    Least squares on a constant with cluster-robust variance, t on G − 1 degrees of freedom for G ≥ 2 clusters;
    may leave the scale, and has no width when all clusters agree.
    """
    from statsmodels.regression.linear_model import OLS

    _, codes = np.unique(clusters, return_inverse=True)
    fit = OLS(scores, np.ones_like(scores)).fit(cov_type="cluster", cov_kwds={"groups": codes}, use_t=True)
    low, high = fit.conf_int(alpha=1 - level)[0]
    return float(low), float(high)


def wilson(share: float, n: float, *, level: float) -> tuple[float, float]:
    """Return Wilson's score interval of a share in [0, 1] seen among `n` > 0; never empty, never outside [0, 1]."""
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(share * n, n, alpha=1 - level, method="wilson")
    # Rounding may put an end a hair beyond the share or the scale.
    return max(0.0, min(float(low), share)), min(1.0, max(float(high), share))


def mean(raters: Keys, clips: Keys, scores: Scores, cells: Keys, *, low: float, high: float) -> Mean | None:
    """Return the mean score of one group; None when it has no ratings.

    `raters`, `clips`, `cells` (voice × dimension) and `scores` hold one element a rating, all of shape (n,); scores
    lie in [low, high]. Beside the mean over ratings (each answer weight 1) stand the mean of clip means and the mean
    of cell means (rule C1; ATT paper, Table 6: equal weights over voice × dimension).

    The 95 % interval is the mean's cluster-robust one with raters as clusters, t on raters − 1 degrees of freedom
    (Liang and Zeger 1986, with the G / (G − 1) correction). Where it has no width or leaves the scale, it is Wilson's
    (1927) for a share with the number of raters as n (rule D4). Raises ValueError on scores outside the scale.
    """
    if not len(scores):
        return None
    if scores.min() < low or scores.max() > high:
        raise ValueError(f"scores must lie between {low} and {high}")
    people, pieces = len(np.unique(raters)), len(np.unique(clips))
    average = float(scores.mean())
    bounds: tuple[float, float] | None = None
    method = ""
    if not too_few(people, pieces):
        method = "cluster"
        bounds = clustered(scores, raters, level=LEVEL)
        if bounds[1] - bounds[0] < 1e-12 or bounds[0] < low or bounds[1] > high:
            method = "wilson"
            share = wilson((average - low) / (high - low), people, level=LEVEL)
            bounds = (low + share[0] * (high - low), low + share[1] * (high - low))
    return Mean(
        ratings=len(scores),
        raters=people,
        clips=pieces,
        mean=average,
        low=bounds[0] if bounds else None,
        high=bounds[1] if bounds else None,
        method=method,
        clip_mean=mean_of_means(scores, clips),
        equal_mean=mean_of_means(scores, cells),
    )


def mean_of_means(scores: Scores, keys: Keys) -> float:
    """Return the unweighted mean of the means of `scores` within each key; both of shape (n,), n ≥ 1."""
    _, codes = np.unique(keys, return_inverse=True)
    sums: NDArray[Any] = np.bincount(codes, weights=scores)
    return float((sums / np.bincount(codes)).mean())


def group(
    keys: Keys, raters: Keys, clips: Keys, scores: Scores, cells: Keys, *, low: float, high: float
) -> dict[int, Mean]:
    """Return {key: `mean` of its ratings}; `keys` of shape (n,) says which group each rating belongs to."""
    by_key: dict[int, Mean] = {}
    for key in np.unique(keys):
        at = np.flatnonzero(keys == key)
        result = mean(raters[at], clips[at], scores[at], cells[at], low=low, high=high)
        if result is not None:
            by_key[int(key)] = result
    return by_key

"""Mean scores of groups of ratings, and Wilson's interval of a share.

Imports statsmodels on the first call: only workers need it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.stats.design import coded, distinct
from analysis.stats.figures import Mean

Keys = NDArray[np.int64]
Scores = NDArray[np.float64]


def wilson(share: float, n: float, *, level: float) -> tuple[float, float]:
    """Return Wilson's score interval of a share in [0, 1] from `n` > 0 answers; never empty, never outside [0, 1]."""
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(share * n, n, alpha=1 - level, method="wilson")
    # Rounding may put an end slightly beyond the share or the scale.
    return max(0.0, min(float(low), share)), min(1.0, max(float(high), share))


def mean(raters: Keys, clips: Keys, scores: Scores, cells: Keys, *, low: float, high: float) -> Mean | None:
    """Return the mean score of one group, without its interval; None if it has no ratings.

    `raters`, `clips`, `cells` (voice × dimension) and `scores` have one element per rating, all of shape (n,); scores
    are in [low, high]. Adds to the mean over ratings (each answer has weight 1) the mean of clip means and the mean of
    cell means (rule C1; ATT paper, Table 6: equal weights over voice × dimension). Raises ValueError for scores outside
    the scale.
    """
    if not len(scores):
        return None
    if scores.min() < low or scores.max() > high:
        raise ValueError(f"scores must lie between {low} and {high}")
    return Mean(
        ratings=len(scores),
        raters=len(distinct(raters)),
        clips=len(distinct(clips)),
        mean=float(scores.mean()),
        low=None,
        high=None,
        method="",
        clip_mean=mean_of_means(scores, clips),
        equal_mean=mean_of_means(scores, cells),
    )


def mean_of_means(scores: Scores, keys: Keys) -> float:
    """Return the unweighted mean of the means of `scores` within each key; both of shape (n,), n ≥ 1."""
    codes = coded(keys)[1]
    sums: NDArray[Any] = np.bincount(codes, weights=scores)
    return float((sums / np.bincount(codes)).mean())


def group(
    keys: Keys, raters: Keys, clips: Keys, scores: Scores, cells: Keys, *, low: float, high: float
) -> dict[int, Mean]:
    """Return {key: `mean` of its ratings}; `keys` (n,) is each rating's group."""
    by_key: dict[int, Mean] = {}
    for key in distinct(keys):
        at = np.flatnonzero(keys == key)
        result = mean(raters[at], clips[at], scores[at], cells[at], low=low, high=high)
        if result is not None:
            by_key[int(key)] = result
    return by_key

"""Intervals for means and shares. statsmodels is loaded on the first call: only workers need it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


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

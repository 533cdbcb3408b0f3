"""The studentized range, which adjusts for all pairs of systems at once (rule D7)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.special import ndtr
from scipy.stats import chi2, norm

from analysis.stats.design import Floats

# SciPy's studentized_range is too slow: .03 s for a p and .4 s for a limit; twenty systems need 190 of each.
NODES, WIDEST, STEPS = 160, 12.0, 601
# The error's SD is integrated between these quantiles.
TAIL = 1e-13


def beyond(q: Floats, groups: int, df: Floats) -> Floats:
    """Return P(Q > `q`) (n,) for the studentized range Q of `groups` ≥ 2 equal means, with `df` (n,) ≥ 1.

    P(Q > q) = ∫ P(range of normals > q·s) dP(s) with df·s² ~ χ²(df) (Tukey 1953), by Gauss-Legendre quadrature; within
    1e-6 of `scipy.stats.studentized_range`.
    """
    return _integrated(q, groups, *_error_sds(df))


def limits(groups: int, df: Floats, alpha: float) -> Floats:
    """Return the q (n,) that Q exceeds with probability `alpha`, by bisection."""
    sd, weights = _error_sds(df)
    low, high = np.zeros(len(df)), np.full(len(df), 4.0)
    while (is_short := _integrated(high, groups, sd, weights) > alpha).any():
        high = np.where(is_short, 2 * high, high)
    for _step in range(50):
        middle = (low + high) / 2
        is_short = _integrated(middle, groups, sd, weights) > alpha
        low, high = np.where(is_short, middle, low), np.where(is_short, high, middle)
    return high


def _integrated(q: Floats, groups: int, sd: Floats, weights: Floats) -> Floats:
    tails = _tail_of_range(groups)(np.minimum(q[:, None] * sd, WIDEST))
    shares: Floats = np.clip((tails * weights).sum(axis=1), 0.0, 1.0)
    return shares


def _error_sds(df: Floats) -> tuple[Floats, Floats]:
    """Return nodes (n, nodes) of the ratio of an error's SD to the true one, and their probabilities."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    low, high = (np.sqrt(tail(TAIL, df) / df) for tail in (chi2.ppf, chi2.isf))
    half = (high - low)[:, None] / 2
    sd = low[:, None] + half * (nodes + 1)
    return sd, chi2.pdf(sd**2 * df[:, None], df[:, None]) * 2 * sd * df[:, None] * weights * half


@lru_cache(maxsize=64)
def _tail_of_range(groups: int) -> CubicSpline:
    """Return P(range > w) of `groups` standard normals for w from 0 to 12."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    widths, highest = np.linspace(0, WIDEST, STEPS), 9.0 * nodes
    # All but the highest are less than w below it.
    inside = ndtr(highest) - ndtr(highest - widths[:, None])
    within = groups * (inside ** (groups - 1) * norm.pdf(highest)) @ (9.0 * weights)
    return CubicSpline(widths, 1 - within)

"""Each rater's course of answers: repeats in a row, and changes of time and score over a session."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import t

from analysis.stats.design import Codes, Floats, Mask

# Below this many answers, a rater's course is chance.
LEAST_ANSWERS = 10
# Tukey's (1977) outer fence: beyond the upper quartile by so many interquartile ranges.
FENCE = 3.0
# The SD of Normal values over their median absolute deviation.
TO_SD = 1.4826


@dataclass(frozen=True, slots=True)
class Repeats:
    """A rater's share of answers that repeat the one before within a session, and the longest run of one answer."""

    rater: int
    answers: int
    share: float
    longest: int


def repeats(answer: Codes, rater: Codes, session: Codes) -> list[Repeats]:
    """Return the repeats of each rater with 10 answers or more; columns (n,) in the order of the answers."""
    found = []
    for mine in _by_rater(rater):
        order = mine[np.argsort(session[mine], kind="stable")]
        follows = session[order][1:] == session[order][:-1]
        same = (answer[order][1:] == answer[order][:-1]) & follows
        if len(order) >= LEAST_ANSWERS and follows.any():
            ends = np.flatnonzero(np.append(~same, True))
            longest = int(np.diff(np.append(-1, ends)).max())
            found.append(Repeats(int(rater[order[0]]), len(order), float(same.sum() / follows.sum()), longest))
    return found


def _by_rater(rater: Codes) -> list[Codes]:
    """Return the rows of each rater, in their order."""
    order = np.argsort(rater, kind="stable")
    rows: list[Codes] = np.split(order, np.flatnonzero(np.diff(rater[order])) + 1)
    return rows


def far_out(values: Floats) -> Mask:
    """Return the `values` (n,) above Tukey's outer fence as a mask: Q3 + 3 (Q3 − Q1)."""
    low, high = np.quantile(values, [0.25, 0.75])
    result: Mask = values > high + FENCE * (high - low)
    return result


@dataclass(frozen=True, slots=True)
class Slope:
    """A rater's change per place in the session, its standard error and residual degrees of freedom."""

    rater: int
    answers: int
    value: float
    error: float
    df: int


def slopes(value: Floats, place: Floats, rater: Codes, session: Codes) -> list[Slope]:
    """Return the least-squares slope of `value` on `place` of each rater with 10 known answers or more; columns (n,).

    Each session has an intercept of its own. NaN are left out.
    """
    found = []
    for every in _by_rater(rater):
        mine = every[~np.isnan(value[every])]
        parts = np.unique(session[mine], return_inverse=True)[1].reshape(-1)
        df = len(mine) - len(np.unique(parts)) - 1
        if len(mine) < LEAST_ANSWERS or df < 1:
            continue
        size = np.bincount(parts)
        y, x = (each - (np.bincount(parts, each) / size)[parts] for each in (value[mine], place[mine]))
        squares = float(x @ x)
        if squares > 0:
            slope = float(x @ y) / squares
            error = float(np.sqrt(((y - slope * x) ** 2).sum() / df / squares))
            found.append(Slope(int(rater[mine[0]]), len(mine), slope, error, df))
    return found


def mean_slope(found: list[Slope], *, level: float = 0.95) -> tuple[float, float, float] | None:
    """Return the mean of raters' slopes with its interval by t over raters, each counting once; None below 5 raters."""
    if len(found) < 5:
        return None
    values = np.array([each.value for each in found])
    reach = float(t.isf((1 - level) / 2, len(values) - 1)) * float(values.std(ddof=1)) / np.sqrt(len(values))
    return float(values.mean()), float(values.mean() - reach), float(values.mean() + reach)


def apart(found: list[Slope], *, alpha: float = 0.05) -> list[Slope]:
    """Return the raters with a slope far from the median, by t with Bonferroni's correction for all raters.

    Raters' slopes differ: the error is the rater's own and the spread of all slopes, their scaled median absolute
    deviation, together, and t has the fewer of the rater's own degrees of freedom and raters − 1.
    """
    if len(found) < 2:
        return []
    values = np.array([each.value for each in found])
    distance = np.abs(values - np.median(values))
    spread = float(np.median(distance)) * TO_SD
    errors = np.hypot(spread, [each.error for each in found])
    reach = t.isf(alpha / 2 / len(found), [min(each.df, len(found) - 1) for each in found])
    return [found[at] for at in np.flatnonzero((errors > 0) & (distance > reach * errors))]

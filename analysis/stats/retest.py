"""Test–retest reliability: two ratings of the same thing by the same rater, with intervals over raters."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import stats

from analysis.stats.design import Codes, Floats
from analysis.stats.figures import Reliability


def difference(first: Floats, again: Floats, rater: Codes) -> Reliability:
    """Return the mean of `again` − `first` (both (n,)), in their unit, with an interval over `rater` (n,)."""
    sums = _by_rater(rater, np.ones(len(first)), again - first)
    known = _jackknifed(sums, lambda each: each[:, 1] / each[:, 0])
    return Reliability(*known)


def icc(first: Floats, again: Floats, rater: Codes) -> Reliability | None:
    """Return ICC(A,1) of two ratings (n,) of the same things, with an interval over `rater` (n,).

    Absolute agreement of single ratings, two-way (McGraw and Wong 1996; ICC(2,1) of Shrout and Fleiss 1979), with the
    pairs as rows and the occasions as columns. None with fewer than two pairs, or if all ratings are the same.
    """
    return _reliability(first, again, rater, _icc)


def weighted_kappa(first: Floats, again: Floats, rater: Codes) -> Reliability | None:
    """Return Cohen's (1968) kappa with quadratic weights of two ratings (n,), with an interval over `rater` (n,).

    None if agreement by chance is complete. Nearly equal to `icc` (Fleiss and Cohen 1973).
    """
    return _reliability(first, again, rater, _quadratic)


def kappa(first: Codes, again: Codes, rater: Codes) -> Reliability | None:
    """Return Cohen's (1960) kappa of two columns (n,) of categories, with an interval over `rater` (n,).

    None if agreement by chance is complete.
    """
    size = int(max(first.max(), again.max())) + 1
    one, other = np.eye(size)[first], np.eye(size)[again]
    sums = _by_rater(rater, np.ones(len(first)), first == again, *one.T, *other.T)

    def estimate(each: Floats) -> Floats:
        number, alike = each[:, 0], each[:, 1]
        chance = (each[:, 2 : 2 + size] * each[:, 2 + size :]).sum(axis=1) / number**2
        return _ratio(alike / number - chance, 1 - chance)

    return _between(sums, estimate)


def _reliability(
    first: Floats, again: Floats, rater: Codes, estimate: Callable[[Floats], Floats]
) -> Reliability | None:
    # Moments around a common middle, because large means would cancel digits.
    middle = (first.mean() + again.mean()) / 2
    x, y = first - middle, again - middle
    return _between(_by_rater(rater, np.ones(len(x)), x, y, x**2, y**2, x * y), estimate)


def _icc(sums: Floats) -> Floats:
    n, sum_x, sum_y, xx, yy, xy = sums.T
    xx, yy, xy = xx - sum_x**2 / n, yy - sum_y**2 / n, xy - sum_x * sum_y / n
    rows = _ratio((xx + yy) / 2 + xy, n - 1)
    error = _ratio((xx + yy) / 2 - xy, n - 1)
    columns = (sum_x - sum_y) ** 2 / n / 2
    return _ratio(rows - error, rows + error + 2 * (columns - error) / n)


def _quadratic(sums: Floats) -> Floats:
    n, sum_x, sum_y, xx, yy, xy = sums.T
    apart = xx + yy - 2 * xy
    # Pairs of any first with any second rating.
    by_chance = xx + yy - 2 * sum_x * sum_y / n
    return 1 - _ratio(apart, by_chance)


def _ratio(top: Floats, bottom: Floats) -> Floats:
    return np.divide(top, bottom, out=np.full_like(top, np.nan), where=bottom > 1e-12)


def _by_rater(rater: Codes, *columns: Floats) -> Floats:
    """Return the sums of these columns (n,) as (raters, columns)."""
    codes = np.unique(rater, return_inverse=True)[1].reshape(-1)
    return np.stack([np.bincount(codes, column) for column in columns], axis=1)


def _between(sums: Floats, estimate: Callable[[Floats], Floats]) -> Reliability | None:
    """Return a coefficient with an interval between −1 and 1, by Fisher's z."""
    with np.errstate(divide="ignore", invalid="ignore"):
        value, low, high = _jackknifed(sums, lambda each: np.arctanh(np.clip(estimate(each), -1, 1)))
    if np.isnan(value):
        return None
    return Reliability(float(np.tanh(value)), *(None if end is None else float(np.tanh(end)) for end in (low, high)))


def _jackknifed(sums: Floats, estimate: Callable[[Floats], Floats]) -> tuple[float, float | None, float | None]:
    """Return an estimate of sums (raters, columns) and its 95 % interval: jackknife over raters, t on raters − 1.

    No interval with one rater, where it isn't finite without some rater, or where it would have no width.
    """
    raters = len(sums)
    total = sums.sum(axis=0)
    value = float(estimate(total[None])[0])
    if raters < 2:
        return value, None, None
    without = estimate(total - sums)
    error = float(np.sqrt((raters - 1) / raters * ((without - without.mean()) ** 2).sum()))
    if not (np.isfinite(error) and error > 0):
        return value, None, None
    reach = float(stats.t.ppf(0.975, raters - 1)) * error
    return value, value - reach, value + reach

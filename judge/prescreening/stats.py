"""Numbers about a machine's scores, for pages that must not wait for engines of statistics."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist, fmean, stdev

# Below it a system has a mean and no interval (rule D4).
LEAST_CLIPS = 5
# A clip this many standard deviations from its system's mean is worth listening to, in systems of enough clips.
FAR, LEAST_FOR_FAR = 2.5, 8


def interval(values: Sequence[float], low: float, high: float, *, level: float = 0.95) -> tuple[float, float] | None:
    """Return the interval of the mean of `values` (n,), one a clip, from Student's t on n − 1 degrees of freedom.

    Cut off at the ends of the scale; None below five clips, or where all values agree and nothing can be said.
    """
    if len(values) < LEAST_CLIPS or min(values) == max(values):
        return None
    half = student(level, len(values) - 1) * stdev(values) / sqrt(len(values))
    mean = fmean(values)
    return max(low, mean - half), min(high, mean + half)


def student(level: float, freedom: int) -> float:
    """Return the two-sided quantile of Student's t by its expansion around the normal one: within 0.01 from ν = 4 on.

    Abramowitz and Stegun, 26.7.5.
    """
    x = NormalDist().inv_cdf(0.5 + level / 2)
    terms = (
        (x**3 + x) / 4,
        (5 * x**5 + 16 * x**3 + 3 * x) / 96,
        (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384,
        (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92160,
    )
    return x + sum(term / float(freedom**power) for power, term in enumerate(terms, 1))


def is_far(value: float, others: Sequence[float]) -> bool:
    """Say whether a clip's value lies far from those of its system (n,), its own among them."""
    if len(others) < LEAST_FOR_FAR or min(others) == max(others):
        return False
    return abs(value - fmean(others)) >= FAR * stdev(others)

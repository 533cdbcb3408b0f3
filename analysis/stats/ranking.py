"""The distance between two rankings of the same things (rule D8; ATT paper, Table 4)."""

from __future__ import annotations

from math import factorial

import numpy as np
from scipy.stats import kendalltau

from analysis.stats.design import Floats, NotEstimable
from analysis.stats.figures import Distance
from core.text.words import say

PERMUTATIONS = 9999
# The exact distribution takes milliseconds up to here.
MOST_EXACT = 150


def kendall(first: Floats, second: Floats, rng: np.random.Generator) -> Distance:
    """Compare the orders of `first` and `second`, both (n,): discordant / all pairs; a tie in either counts ½.

    Without ties and up to 150 things p is exact under independence. Otherwise it is the share of 9,999 permutations,
    plus the observed one, that are at least as far from ½. Raises NotEstimable below two things.
    """
    n = len(first)
    if n < 2:
        raise NotEstimable(say("Ranks can be compared from two on."))
    left, right = _order(first), _order(second)
    distance = float(0.5 - 0.5 * np.vdot(left, right) / (n * (n - 1)))
    tied = len(np.unique(first)) < n or len(np.unique(second)) < n
    if not tied and n <= MOST_EXACT:
        p = float(kendalltau(first, second, method="exact").pvalue)
        return Distance(distance, p, "exact", min(1.0, 2 / factorial(n)), n)
    far = abs(distance - 0.5) - 1e-12
    others = 0
    # Permutations in chunks of 8 MB.
    for part in np.array_split(np.arange(PERMUTATIONS), 1 + PERMUTATIONS * n * n // 1_000_000):
        orders = rng.permuted(np.tile(np.arange(n), (len(part), 1)), axis=1)
        shuffled = right[orders[:, :, None], orders[:, None, :]]
        others += int((np.abs(np.tensordot(shuffled, left, axes=2)) / (2 * n * (n - 1)) >= far).sum())
    return Distance(distance, (1 + others) / (1 + PERMUTATIONS), "permutation", 1 / (1 + PERMUTATIONS), n)


def _order(values: Floats) -> Floats:
    return np.sign(values[:, None] - values[None, :])

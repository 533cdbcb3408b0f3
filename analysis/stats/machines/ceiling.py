"""How well raters agree with raters on an order: what no machine can be asked to beat (rule F1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.stats.design import Codes, Floats, NotEstimable
from core.text.words import say

LEAST_RATERS = 4
SPLITS = 200


@dataclass(frozen=True, slots=True)
class Ceiling:
    """Kendall's distance between the orders that two halves of the raters give, over `splits` random halvings.

    `distance` is the mean, `low` and `high` hold 95 % of the halvings. Each half has half of the raters, so all of
    them together are surer than this.
    """

    distance: float
    low: float
    high: float
    raters: int
    splits: int


def split_half(
    scores: Floats, rater: Codes, voice: Codes, rng: np.random.Generator, *, splits: int = SPLITS
) -> Ceiling:
    """Halve the raters of `scores` (n,) at random and compare how both halves rank the voices (n,), over and over.

    A tie in either half counts ½; a voice that one half has not heard is left out of that halving. Takes raters ×
    voices numbers. Raises NotEstimable below four raters or two voices.
    """
    raters, who = np.unique(rater, return_inverse=True)
    voices, what = np.unique(voice, return_inverse=True)
    if len(raters) < LEAST_RATERS:
        raise NotEstimable(say("Raters can be split into halves from four on."))
    if len(voices) < 2:
        raise NotEstimable(say("Ranks can be compared from two on."))
    cell = who.reshape(-1) * len(voices) + what.reshape(-1)
    shape = (len(raters), len(voices))
    size = len(raters) * len(voices)
    sums = np.bincount(cell, scores, minlength=size).reshape(shape)
    counts = np.bincount(cell, minlength=size).reshape(shape).astype(np.float64)
    distances = []
    for _ in range(splits):
        half = np.zeros(len(raters))
        half[rng.permutation(len(raters))[: len(raters) // 2]] = 1.0
        means = [_means(part @ sums, part @ counts) for part in (half, 1 - half)]
        known = ~np.isnan(means[0]) & ~np.isnan(means[1])
        if known.sum() > 1:
            distances.append(_distance(means[0][known], means[1][known]))
    if not distances:
        raise NotEstimable(say("No two voices were heard by both halves of the raters."))
    low, high = np.quantile(distances, [0.025, 0.975])
    return Ceiling(float(np.mean(distances)), float(low), float(high), len(raters), len(distances))


def _means(sums: Floats, counts: Floats) -> Floats:
    means: Floats = np.full(len(sums), np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    # Rounded, so that halves with the same mean are tied however it was added up.
    return means.round(12)


def _distance(first: Floats, second: Floats) -> float:
    signs = (np.sign(each[:, None] - each[None, :]) for each in (first, second))
    n = len(first)
    return float(0.5 - 0.5 * np.vdot(*signs) / (n * (n - 1)))

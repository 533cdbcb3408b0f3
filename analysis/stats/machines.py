"""Comparison of a metric's values with listeners' scores: arrays in, dataclasses out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.stats import rankdata, t

from analysis.stats.design import Codes, Floats, Mask, NotEstimable
from analysis.stats.figures import Ceiling, Correlation, YesNo
from core.text.words import say

LEAST_PAIRS = 3
LEAST_SYSTEMS = 5
LEAST_RATERS = 4
SPLITS = 200
THRESHOLD = 0.5


def correlate(first: Floats, second: Floats) -> Correlation:
    """Correlate `first` and `second`, both (n,). Raises NotEstimable below three pairs or without variance."""
    if len(first) < LEAST_PAIRS:
        raise NotEstimable(say("A correlation needs three pairs of numbers or more."))
    if any(np.ptp(each) == 0 for each in (first, second)):
        raise NotEstimable(say("All values are the same, so there is nothing to correlate."))
    return Correlation(_pearson(first, second), _pearson(rankdata(first), rankdata(second)), len(first))


def disagreement(first: Floats, second: Floats) -> Floats:
    """Return each thing's rank by `first` minus its rank by `second` (n,), from −1 to 1; ties share a rank."""
    places = [(rankdata(each) - 1) / max(1, len(each) - 1) for each in (first, second)]
    difference: Floats = places[0] - places[1]
    return difference


def _pearson(first: Floats, second: Floats) -> float:
    r = np.corrcoef(first, second)[0, 1]
    return float(np.clip(r, -1.0, 1.0))


@dataclass(frozen=True, slots=True)
class Calibration:
    """A rising line through systems' means: isotonic regression, straight between systems, level beyond the outer ones.

    `left_out` (k,) is the score predicted for each system from the others; `error` is the mean absolute error of these
    predictions. A prediction ± `reach` (the largest of those errors) holds for a new, similar system at `level` = k /
    (k + 1), the highest level that k systems allow.
    """

    machine: Floats
    human: Floats
    at: Floats
    fitted: Floats
    left_out: Floats
    error: float
    reach: float
    level: float

    def expect(self, machine: Floats) -> Floats:
        """Return the human scores predicted for machine scores (n,)."""
        expected: Floats = np.interp(machine, self.at, self.fitted)
        return expected


def calibrate(machine: Floats, human: Floats) -> Calibration:
    """Fit human means (k,) to machine means (k,), one per system; higher must be better in both.

    Raises NotEstimable below five systems.
    """
    k = len(machine)
    if k < LEAST_SYSTEMS:
        raise NotEstimable(say("A calibration needs {n} systems that people and machine have scored.", n=LEAST_SYSTEMS))
    left_out = np.empty(k)
    for index in range(k):
        others = np.arange(k) != index
        left_out[index] = np.interp(machine[index], *_fit(machine[others], human[others]))
    errors = np.abs(left_out - human)
    at, fitted = _fit(machine, human)
    return Calibration(machine, human, at, fitted, left_out, float(errors.mean()), float(errors.max()), k / (k + 1))


def _fit(machine: Floats, human: Floats) -> tuple[Floats, Floats]:
    """Return the line's bends and its heights there; systems with the same machine score count as one."""
    at, place, sizes = np.unique(machine, return_inverse=True, return_counts=True)
    means = np.bincount(place.reshape(-1), human) / sizes
    fitted: Floats = isotonic_regression(means, weights=sizes).x
    return at, fitted


def split_half(
    scores: Floats, rater: Codes, voice: Codes, rng: np.random.Generator, *, splits: int = SPLITS
) -> Ceiling:
    """Compare the voices' (n,) ranks between two random halves of the raters of `scores` (n,), `splits` times.

    A tie in either half counts ½; a voice without ratings in one half is left out of that halving. Needs memory for
    raters × voices numbers. Raises NotEstimable below four raters or two voices.
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
    # Rounded, so that equal means are ties despite a different order of summation.
    return means.round(12)


def _distance(first: Floats, second: Floats) -> float:
    signs = (np.sign(each[:, None] - each[None, :]) for each in (first, second))
    n = len(first)
    return float(0.5 - 0.5 * np.vdot(*signs) / (n * (n - 1)))


@dataclass(frozen=True, slots=True)
class MeanChange:
    """Mean change of `n` clips with its interval (for similar clips), spread, and how many rose and fell."""

    mean: float
    low: float
    high: float
    sd: float
    rose: int
    fell: int
    n: int


def paired_drift(older: Floats, newer: Floats, *, level: float = 0.95) -> MeanChange:
    """Compare both values of each clip (n,): t on n − 1 degrees of freedom. Raises NotEstimable below two clips."""
    n = len(older)
    if n < 2:
        raise NotEstimable(say("A change needs two clips or more that both versions have scored."))
    change = newer - older
    mean, sd = float(change.mean()), float(change.std(ddof=1))
    half = float(t.ppf(0.5 + level / 2, n - 1)) * sd / float(np.sqrt(n))
    return MeanChange(mean, mean - half, mean + half, sd, int((change > 0).sum()), int((change < 0).sum()), n)


def yes_no(scores: Floats, human: Mask, threshold: float = THRESHOLD) -> YesNo:
    """Return how `scores` (n,) ≥ threshold distinguish `human` (n,). Raises NotEstimable if one kind is missing."""
    positives, negatives = _kinds(human)
    called = scores >= threshold
    hits, alarms = int((called & human).sum()), int((called & ~human).sum())
    misses = positives - hits
    return YesNo(
        hits,
        misses,
        alarms,
        negatives - alarms,
        precision=hits / (hits + alarms) if hits + alarms else None,
        recall=hits / positives,
        f1=2 * hits / (2 * hits + alarms + misses),
        balanced=(hits / positives + 1 - alarms / negatives) / 2,
        always=2 * positives / (2 * positives + negatives),
    )


def auc(scores: Floats, human: Mask) -> float:
    """Return the probability that a human clip scores above another, with ties counting ½. Raises NotEstimable."""
    positives, negatives = _kinds(human)
    ranks = rankdata(scores)
    return float((ranks[human].sum() - positives * (positives + 1) / 2) / (positives * negatives))


def _kinds(human: Mask) -> tuple[int, int]:
    positives = int(np.count_nonzero(human))
    negatives = len(human) - positives
    if not positives or not negatives:
        raise NotEstimable(say("A yes/no test needs human traps and flawed ones; one kind has no value."))
    return positives, negatives

"""What score people would give a system, given a machine's: learnt from systems that both know (rule F4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import isotonic_regression

from analysis.stats.design import Floats, NotEstimable
from core.text.words import say

LEAST_SYSTEMS = 5


@dataclass(frozen=True, slots=True)
class Calibration:
    """A rising line through systems' means: isotonic regression, straight between systems, level beyond the outer ones.

    `left_out` (k,) is what each system would have been expected to get, had it not been there; `error` the mean
    absolute error of that. An expectation ± `reach` (the largest of those errors) holds for a new system at `level` =
    k / (k + 1), if it is one like these; with k systems no higher level can be had.
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
        """Return the human scores to expect for machine scores (n,)."""
        expected: Floats = np.interp(machine, self.at, self.fitted)
        return expected


def calibrate(machine: Floats, human: Floats) -> Calibration:
    """Fit human means (k,) to machine means (k,), a system each, higher being better in both.

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
    """Return where the line bends, and its height there; systems of one machine score count as one of their mean."""
    at, place, sizes = np.unique(machine, return_inverse=True, return_counts=True)
    means = np.bincount(place.reshape(-1), human) / sizes
    fitted: Floats = isotonic_regression(means, weights=sizes).x
    return at, fitted

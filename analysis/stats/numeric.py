"""Derivatives by differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from analysis.stats.design import Floats


def hessian(function: Callable[[Floats], float], point: Floats, *, step: float = 1e-2) -> Floats:
    """Return the (k, k) matrix of second derivatives at `point` (k,) by central differences of width `step`."""
    size = len(point)
    moves = np.eye(size) * step
    centre = function(point)
    result = np.empty((size, size))
    for i in range(size):
        result[i, i] = (function(point + moves[i]) - 2 * centre + function(point - moves[i])) / step**2
        for j in range(i):
            corners = [function(point + a * moves[i] + b * moves[j]) for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1))]
            result[i, j] = result[j, i] = (corners[0] - corners[1] - corners[2] + corners[3]) / (4 * step**2)
    return result


def jacobian(function: Callable[[Floats], Floats], point: Floats, *, step: float = 1e-4) -> Floats:
    """Return the (m, k) matrix of first derivatives of a function of `point` (k,) by central differences."""
    moves = np.eye(len(point)) * step
    columns = [(function(point + move) - function(point - move)) / (2 * step) for move in moves]
    return np.stack(columns, axis=-1)

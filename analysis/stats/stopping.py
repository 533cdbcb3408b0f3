"""Stopping rules: interim analyses planned before launch, with errors spent over them (rule D10)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from analysis.stats.design import Floats

# The grid of the score process: ±12 of its last SD.
GRID, WIDEST = 2001, 12.0
# A look spends at most 1e-19 beyond this limit, which is negligible; early looks of many contrasts would need more.
FARTHEST = 9.0


@dataclass(frozen=True, slots=True)
class LookLimit:
    """One look: its share of the information, its limit for |z|, and the two-sided p required of one contrast."""

    fraction: float
    limit: float
    p: float
    spent: float


def boundaries(fractions: tuple[float, ...], *, alpha: float = 0.05, contrasts: int = 1) -> tuple[LookLimit, ...]:
    """Return the looks of a plan at increasing `fractions` of the planned ratings, the last one at most 1.

    Lan and DeMets (1983) with spending of the O'Brien–Fleming kind, α*(t) = 2 − 2Φ(z_{1−a/2} / √t), for each side
    with a = `alpha` / 2 (as gsDesign's sfLDOF), Bonferroni over `contrasts`. Solved by numerical integration of the
    score process (Armitage, McPherson and Rowe 1969). `spent` is the two-sided error of one contrast used so far.
    Raises ValueError on fractions that don't increase within (0, 1].
    """
    times = np.asarray(fractions, dtype=np.float64)
    if not len(times) or times[0] <= 0 or times[-1] > 1 or (np.diff(times) <= 0).any():
        raise ValueError("looks must be at increasing shares of the ratings, above 0 and at most 1")
    side = alpha / contrasts / 2
    spent = 2 * norm.sf(norm.isf(side / 2) / np.sqrt(times))
    grid = np.linspace(-WIDEST, WIDEST, GRID)
    step = grid[1] - grid[0]
    density = np.zeros(GRID)
    looks: list[LookLimit] = []
    before = 0.0
    for at, (time, total) in enumerate(zip(times, spent, strict=True)):
        share = float(total) - before
        if at == 0:
            limit = min(float(norm.isf(share)), FARTHEST)
            density = norm.pdf(grid, scale=np.sqrt(time))
        else:
            gone = float(np.sqrt(time - times[at - 1]))
            alive, weights = _alive(grid, step, density, looks[-1].limit * float(np.sqrt(times[at - 1])))
            # The error available now is the probability beyond the limit after one more normal step.
            args = (alive, weights, gone, float(np.sqrt(time)), share)
            limit = FARTHEST if _beyond(FARTHEST, *args) >= 0 else float(brentq(_beyond, 0.0, FARTHEST, args=args))
            density = norm.pdf((grid[:, None] - alive[None, :]) / gone) @ weights / gone
        looks.append(LookLimit(float(time), limit, 2 * float(norm.sf(limit)), 2 * float(total)))
        before = float(total)
    return tuple(looks)


def crossed(looks: tuple[LookLimit, ...], p: tuple[float, ...]) -> int | None:
    """Return the index of the first look with a two-sided `p` (one per look so far) within its limit, or None."""
    return next((at for at, (look, seen) in enumerate(zip(looks, p, strict=False)) if seen <= look.p), None)


def _alive(grid: Floats, step: float, density: Floats, edge: float) -> tuple[Floats, Floats]:
    """Return points and integration weights × density inside ±`edge`, by Simpson's rule on a separate grid."""
    count = max(201, 2 * int(edge / step) + 1)
    points = np.linspace(-edge, edge, count)
    rule = np.ones(count)
    rule[1:-1:2], rule[2:-1:2] = 4, 2
    return points, np.interp(points, grid, density) * rule * (points[1] - points[0]) / 3


def _beyond(limit: float, points: Floats, weights: Floats, gone: float, scale: float, share: float) -> float:
    return float(norm.sf((limit * scale - points) / gone) @ weights) - share

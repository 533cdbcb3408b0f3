"""Looks named before the launch: when they are due, and what a look at the contrasts says (rule D10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from analysis.planning.result import LookContrast, TestedContrast, UntestedContrast
from studies.rules import stopping

if TYPE_CHECKING:
    from analysis.planning.usable import Usable
    from analysis.stats.stopping import LookLimit
    from analysis.stats.twoway import Means
    from studies.definition.definition import Definition


@dataclass(frozen=True, slots=True)
class LookPlan:
    """The looks and contrasts that a study named, and the error that they share."""

    lines: tuple[str, ...]
    looks: tuple[stopping.PlannedLook, ...]
    contrasts: tuple[tuple[str, str], ...]
    alpha: float


def plan_of(definition: Definition) -> LookPlan:
    """Read the plan of a definition; without looks it is empty."""
    results = definition.results
    looks, contrasts = stopping.looks(results.looks), stopping.contrasts(results.contrasts)
    return LookPlan(results.looks, looks, contrasts, results.stop_alpha)


@lru_cache(maxsize=64)
def _boundaries(fractions: tuple[float, ...], alpha: float, contrasts: int) -> tuple[LookLimit, ...]:
    from analysis.stats.stopping import boundaries

    return boundaries(fractions, alpha=alpha, contrasts=contrasts)


def look(plan: LookPlan, ratings: Usable, fractions: Sequence[float]) -> list[LookContrast]:
    """Compare each contrast with the limit of the newest of these looks, at these shares of the ratings wanted.

    Lan and DeMets' spending needs no more than the shares of the looks taken so far, wherever they fell.
    The difference has the published error, that of raters and clips; p is by t on its degrees of freedom, and what it
    must not exceed is the two-sided p of the boundary.
    """
    from analysis.stats import twoway

    newest = _boundaries(tuple(fractions), plan.alpha, len(plan.contrasts))[-1]
    means = twoway.means(ratings.design)
    return [_contrast(pair, newest, means, ratings.systems) for pair in plan.contrasts]


def _contrast(pair: tuple[str, str], newest: LookLimit, means: Means, systems: tuple[str, ...]) -> LookContrast:
    import numpy as np
    from scipy.stats import norm, t

    first, second = pair

    def untested(difference: float | None = None, error: float | None = None) -> UntestedContrast:
        return UntestedContrast(
            first=first,
            second=second,
            limit=newest.limit,
            p_limit=newest.p,
            verdict="impossible",
            difference=difference,
            error=error,
            z=None,
            p=None,
        )

    if first not in systems or second not in systems:
        return untested()
    at = [systems.index(first), systems.index(second)]
    weights = np.zeros(len(systems))
    weights[at] = 1.0, -1.0
    variance, method = means.variance(weights)
    difference, error = float(weights @ means.mean), float(np.sqrt(max(variance, 0.0)))
    if error <= 0:
        return untested(difference, 0.0)
    p = 2 * float(t.sf(abs(difference) / error, int(min(means.df[at]))))
    return TestedContrast(
        first=first,
        second=second,
        limit=newest.limit,
        p_limit=newest.p,
        difference=difference,
        error=error,
        # Of the normal with the same p, so that it can be held against the limit.
        z=float(np.sign(difference)) * float(norm.isf(p / 2)),
        p=p,
        method=method,
        verdict="crossed" if p <= newest.p else "open",
    )

"""Looks named before the launch: when they are due, and what a look at the contrasts says (rule D10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from studies.rules import stopping

if TYPE_CHECKING:
    from analysis.planning.usable import Usable
    from analysis.stats.stopping import Look
    from studies.definition.definition import Definition

CROSSED, OPEN, IMPOSSIBLE = "crossed", "open", "impossible"


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


def limits(plan: LookPlan, fractions: Sequence[float]) -> list[dict[str, float]]:
    """Return the limit for |z| and p of each look at these shares of the ratings wanted.

    Lan and DeMets' spending needs no more than the shares of the looks taken so far, wherever they fell.
    """
    if not fractions:
        return []
    return [asdict(limit) for limit in _boundaries(tuple(fractions), plan.alpha, len(plan.contrasts))]


@lru_cache(maxsize=64)
def _boundaries(fractions: tuple[float, ...], alpha: float, contrasts: int) -> tuple[Look, ...]:
    from analysis.stats.stopping import boundaries

    return boundaries(fractions, alpha=alpha, contrasts=contrasts)


def look(plan: LookPlan, ratings: Usable, fractions: Sequence[float]) -> list[dict[str, Any]]:
    """Compare each contrast with the limit of the newest of these looks.

    The difference has the published error, that of raters and clips; p is by t on its degrees of freedom, and what it
    must not exceed is the two-sided p of the boundary.
    """
    import numpy as np
    from scipy.stats import norm, t

    from analysis.stats import twoway

    newest = limits(plan, fractions)[-1]
    means = twoway.means(ratings.design)
    entries = []
    for first, second in plan.contrasts:
        entry = {"first": first, "second": second, "limit": newest["limit"], "p_limit": newest["p"]}
        if first not in ratings.systems or second not in ratings.systems:
            entries.append(entry | {"verdict": IMPOSSIBLE, "difference": None, "error": None, "z": None, "p": None})
            continue
        at = [ratings.systems.index(first), ratings.systems.index(second)]
        weights = np.zeros(len(ratings.systems))
        weights[at] = 1.0, -1.0
        variance, method = means.variance(weights)
        difference, error = float(weights @ means.mean), float(np.sqrt(max(variance, 0.0)))
        if error <= 0:
            entries.append(
                entry | {"verdict": IMPOSSIBLE, "difference": difference, "error": 0.0, "z": None, "p": None}
            )
            continue
        p = 2 * float(t.sf(abs(difference) / error, int(min(means.df[at]))))
        # Of the normal with the same p, so that it can be held against the limit.
        z = float(np.sign(difference)) * float(norm.isf(p / 2))
        verdict = CROSSED if p <= newest["p"] else OPEN
        values = {"difference": difference, "error": error, "z": z, "p": p, "method": method}
        entries.append(entry | values | {"verdict": verdict})
    return entries

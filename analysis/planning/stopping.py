"""Interim analyses planned before launch: when they are due, and how contrasts are tested (rule D10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from analysis.planning.result import LookContrast, TestedContrast, UntestedContrast
from core.text.words import Translatable, say
from studies.rules import stopping

if TYPE_CHECKING:
    from analysis.planning.usable import Usable
    from analysis.stats.stopping import LookLimit
    from analysis.stats.twoway import Means
    from studies.definition.definition import Definition
    from studies.task_types.base import ScoreScale


@dataclass(frozen=True, slots=True)
class LookPlan:
    """The planned looks and contrasts of a study, and the error that they share."""

    lines: tuple[str, ...]
    looks: tuple[stopping.PlannedLook, ...]
    contrasts: tuple[tuple[str, str], ...]
    alpha: float


def plan_of(definition: Definition) -> LookPlan:
    """Return the planned looks of a study; may be empty."""
    results = definition.results
    looks, contrasts = stopping.looks(results.looks), stopping.contrasts(results.contrasts)
    return LookPlan(results.looks, looks, contrasts, results.stop_alpha)


@lru_cache(maxsize=64)
def _boundaries(fractions: tuple[float, ...], alpha: float, contrasts: int) -> tuple[LookLimit, ...]:
    from analysis.stats.stopping import boundaries

    return boundaries(fractions, alpha=alpha, contrasts=contrasts)


def look(plan: LookPlan, ratings: Usable, fractions: Sequence[float], scale: ScoreScale) -> list[LookContrast]:
    """Test each contrast at the newest look; `fractions` are the shares of wanted ratings at all looks so far.

    Lan and DeMets' spending needs only the shares of the looks taken so far, wherever they fell. The difference has the
    published interval (rules D1 and D4). p comes from t with its degrees of freedom, and must not exceed the two-sided
    p of the boundary.
    """
    from analysis.stats.twoway import means

    newest = _boundaries(tuple(fractions), plan.alpha, len(plan.contrasts))[-1]
    group_means = means(ratings.design)
    return [_contrast(pair, newest, group_means, ratings, scale) for pair in plan.contrasts]


def _contrast(
    names: tuple[str, str], newest: LookLimit, group_means: Means, ratings: Usable, scale: ScoreScale
) -> LookContrast:
    import numpy as np
    from scipy.stats import norm, t

    from analysis.stats import refusals
    from analysis.stats.intervals import difference, pair

    first, second = names
    limits: dict[str, Any] = {"first": first, "second": second, "limit": newest.limit, "p_limit": newest.p}

    def untested(why: str, value: float | None = None, error: float | None = None) -> UntestedContrast:
        return UntestedContrast(
            **limits,
            verdict="impossible",
            difference=value,
            error=error,
            z=None,
            p=None,
            why=why.as_json if isinstance(why, Translatable) else {},
        )

    if missing := [name for name in names if name not in ratings.systems]:
        return untested(say("{system} has no ratings yet.", system=missing[0]))
    at = ratings.systems.index(first), ratings.systems.index(second)
    between = difference(group_means, pair(len(ratings.systems), *at), low=scale.low, high=scale.high)
    value, error = between.estimate.value, between.estimate.error
    if refusal := refusals.of_contrast(ratings.design, at):
        return untested(refusal.sentence, value, error)
    p = 2 * float(t.sf(between.t, between.estimate.df))
    return TestedContrast(
        **limits,
        difference=value,
        error=error,
        # The normal quantile with the same p, comparable with the limit.
        z=float(np.sign(value)) * float(norm.isf(p / 2)),
        p=p,
        method=between.estimate.method,
        verdict="crossed" if p <= newest.p else "open",
    )

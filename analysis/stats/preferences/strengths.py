"""Strengths of systems from a choice model: intervals, all pairs, letters (rules D1, D7 and D14)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from analysis.stats import contrasts, refusals
from analysis.stats.design import Floats
from analysis.stats.figures import Contrast, PairProbability, SystemStrength
from analysis.stats.intervals import pair
from analysis.stats.preferences.choices import strengths_basis
from analysis.stats.preferences.clustered import Clustered, Unbounded
from analysis.stats.twoway import Means
from core.text.words import joined


@dataclass(frozen=True, slots=True)
class Strengths:
    """The strengths of all systems, and all pairs of those with an interval."""

    systems: tuple[SystemStrength[int], ...]
    pairs: tuple[PairProbability[int], ...]


def strengths(clustered: Clustered, heard: Means, *, level: float = 0.95) -> Strengths:
    """Return strengths from the first coefficients of a fit, in terms of `strengths_basis`.

    `heard` has a group for each system, with all answers in which it was shown. A system with too few raters or texts,
    or with one of them in nearly all of its answers, has no interval and is in no pair.
    """
    size, alpha = len(heard.mean), 1 - level
    rows = np.zeros((size, len(clustered.coefficients)))
    rows[:, : size - 1] = strengths_basis(size)
    refused = [heard.refusal(weights) for weights in np.eye(size)]
    at = list(combinations([system for system in range(size) if refused[system] is None], 2))
    tested = [Unbounded(clustered.estimate(pair(size, *names) @ rows)) for names in at]
    compared = contrasts.adjusted(at, tested, level)
    values: Floats = rows @ clustered.coefficients
    letters = _letters(values, compared, alpha, [refusal is None for refusal in refused])
    systems = []
    for system, weights in enumerate(np.eye(size)):
        interval = Unbounded(clustered.estimate(rows[system]))
        raters, texts = heard.counts(weights)
        low, high = (None, None) if refused[system] else interval.ends(alpha)
        note = str(refused[system] or joined(heard.scope, refusals.few_raters(raters)))
        value, answers = float(values[system]), int(heard.ratings[system])
        systems.append(SystemStrength(system, value, low, high, answers, raters, texts, letters[system], note))
    return Strengths(tuple(systems), tuple(map(_probable, compared)))


def _probable(contrast: Contrast[int]) -> PairProbability[int]:
    ends = (contrast.difference, contrast.low, contrast.high, contrast.low_all, contrast.high_all)
    probability, low, high, low_all, high_all = (float(1 / (1 + np.exp(-end))) for end in ends)
    return PairProbability(contrast.first, contrast.second, probability, low, high, low_all, high_all, contrast.p)


def _letters(values: Floats, compared: tuple[Contrast[int], ...], alpha: float, has_interval: list[bool]) -> list[str]:
    kept = np.flatnonzero(has_interval)
    place = {int(system): at for at, system in enumerate(kept)}
    apart = {frozenset((place[each.first], place[each.second])) for each in compared if each.p < alpha}
    tiers = contrasts.tiers(values[kept], lambda first, second: frozenset((first, second)) in apart)
    named = dict(zip(place, tiers, strict=True))
    return [named.get(system, "") for system in range(len(values))]

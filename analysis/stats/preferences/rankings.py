"""Rankings of several clips: mean ranks and Plackett and Luce's model (rule D14)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from analysis.stats.design import Codes, Floats
from analysis.stats.intervals import Interval, intervals
from analysis.stats.preferences.checks import wins_of
from analysis.stats.preferences.choices import Choices
from analysis.stats.preferences.tuples import Model, Shown, model, stages


@dataclass(frozen=True, slots=True)
class MeanRank:
    """A system's mean rank, 1 is the best, with its interval by raters and texts."""

    system: int
    rank: Interval


@dataclass(frozen=True, slots=True)
class Rankings:
    """Mean ranks of systems by code, and their strengths."""

    names: tuple[str, ...]
    ranks: tuple[MeanRank, ...]
    model: Model


def rank(rater: Any, text: Any, order: Sequence[Sequence[Any]], *, level: float = 0.95) -> Rankings:
    """Analyse complete rankings `order` (n,): the systems of each answer, best first, no ties.

    Plackett–Luce: P(order) = Π exp(λ_j) / Σ exp(λ) over j and those ranked below (Plackett 1975). An answer is one
    cluster, inside its rater and text. Mean ranks compare systems only if answers rank equally many. Raises what
    `Shown.of` raises.
    """
    shown = Shown.of(rater, text, order)
    place = _places(shown)
    highest = float(place.max() + 1)
    found = intervals(shown.means(place.astype(np.float64) + 1), low=1.0, high=highest, level=level)
    ranks = tuple(MeanRank(system, interval) for system, interval in enumerate(found))
    return Rankings(shown.names, ranks, model(shown, choices_of(shown), _wins(shown), level=level))


def choices_of(shown: Shown) -> Choices:
    """Return a choice for every rank but the last: this system among itself and those below."""
    stage, below = _pairs(shown)
    distinct, choice = np.unique(stage, return_inverse=True)
    chosen = np.flatnonzero(stage == below)
    sign: Floats = np.ones(len(distinct))
    return stages(shown.system[below], choice, chosen, shown.answer[distinct], sign, len(shown.names))


def _places(shown: Shown) -> Codes:
    """Return each row's place in its answer, from 0."""
    return np.arange(len(shown.answer)) - np.searchsorted(shown.answer, shown.answer)


def _pairs(shown: Shown) -> tuple[Codes, Codes]:
    """Return two arrays of rows, shape (m,): a rank that isn't an answer's last, and a rank at or below it."""
    sizes = np.bincount(shown.answer)[shown.answer] - _places(shown)
    stage = np.repeat(np.arange(len(sizes)), np.where(sizes > 1, sizes, 0))
    start = np.flatnonzero(np.diff(stage, prepend=-1))
    counts = np.diff(np.append(start, len(stage)))
    below = stage + np.arange(len(stage)) - np.repeat(start, counts)
    return stage, below


def _wins(shown: Shown) -> Codes:
    stage, below = _pairs(shown)
    is_other = stage != below
    return wins_of(shown.system[stage[is_other]], shown.system[below[is_other]], len(shown.names))

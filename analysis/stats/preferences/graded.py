"""Graded preferences from −3 to +3 (CMOS, AXY): means and shares of each pair, with the sign turned to a system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from analysis.stats.design import Codes, Design, Floats, coded
from analysis.stats.intervals import Interval, intervals
from analysis.stats.preferences.answers import Preferences
from analysis.stats.twoway import means

HIGHEST = 3.0


@dataclass(frozen=True, slots=True)
class GradedPair:
    """`first` against `second`, systems in the order of their codes: a positive score favours `first`.

    `mean` is on −3 to +3; `above` is the share of all answers above 0, `below` of those below, with intervals by raters
    and texts.
    """

    first: int
    second: int
    answers: int
    mean: Interval
    above: Interval
    below: Interval


@dataclass(frozen=True, slots=True)
class GradedResult:
    """`names` are the systems by code; `preferences` are the signs of the scores, for `paired.compare`."""

    names: tuple[str, ...]
    pairs: tuple[GradedPair, ...]
    preferences: Preferences


def grade(rater: Any, text: Any, first: Any, second: Any, score: Any, *, level: float = 0.95) -> GradedResult:
    """Compare pairs by `score` (n,), −3 to +3: how much better `second` is than `first`, as asked (P.800 annex E).

    The other columns are those of `Preferences.of`. Raises ValueError for scores outside the scale, NotEstimable
    without answers.
    """
    scores = np.asarray(score, dtype=np.float64)
    if not (np.abs(scores) <= HIGHEST).all():
        raise ValueError("graded preferences must lie between -3 and 3")
    outcome = np.where(scores < 0, "first", np.where(scores > 0, "second", "tie"))
    table = Preferences.of(rater, text, first, second, outcome)
    turned = np.where(table.first < table.second, -scores, scores)
    size = len(table.systems)
    codes, key = coded(np.minimum(table.first, table.second) * size + np.maximum(table.first, table.second))
    mean = _by_pair(turned, table, key, -HIGHEST, HIGHEST, level)
    above, below = (_by_pair((sign * turned > 0).astype(np.float64), table, key, 0.0, 1.0, level) for sign in (1, -1))
    pairs = tuple(
        GradedPair(int(code) // size, int(code) % size, mean[at].ratings, mean[at], above[at], below[at])
        for at, code in enumerate(codes)
    )
    return GradedResult(table.systems, pairs, table)


def _by_pair(
    values: Floats, table: Preferences, pair: Codes, low: float, high: float, level: float
) -> tuple[Interval, ...]:
    design = Design.of(values, table.rater, pair, text=table.text)
    return intervals(means(design), low=low, high=high, level=level)

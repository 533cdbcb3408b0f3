"""Kappas of categories and the intraclass correlations of a complete table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.stats.design import Codes, Floats, NotEstimable
from core.text.words import say


@dataclass(frozen=True, slots=True)
class Icc:
    """One intraclass correlation, with the name of its formula as Shrout and Fleiss (1979) write it."""

    formula: str
    value: float


def cohen(first: Codes, second: Codes) -> float | None:
    """Return Cohen's (1960) kappa of two columns (n,) of categories; None when chance alone would agree fully."""
    size = int(max(first.max(), second.max())) + 1
    table = np.bincount(first * size + second, minlength=size * size).reshape(size, size) / len(first)
    chance = float(table.sum(axis=0) @ table.sum(axis=1))
    return (float(np.trace(table)) - chance) / (1 - chance) if chance < 1 else None


def fleiss(counts: Floats) -> float | None:
    """Return Fleiss's (1971) kappa of `counts` (units, categories), the same number ≥ 2 of ratings for each unit.

    None when all ratings are the same. Raises NotEstimable where units differ in their number of ratings.
    """
    raters = counts.sum(axis=1)
    if len(np.unique(raters)) != 1 or raters[0] < 2:
        raise NotEstimable(say("Fleiss's kappa needs the same number of ratings, two or more, for every clip."))
    each = float(raters[0])
    chance = float(((counts.sum(axis=0) / counts.sum()) ** 2).sum())
    seen = float(((counts**2).sum(axis=1) - each).mean() / (each * (each - 1)))
    return (seen - chance) / (1 - chance) if chance < 1 else None


def icc(table: Floats) -> tuple[Icc, ...]:
    """Return the six ICCs of a complete `table` (targets, raters), each ≥ 2: single ratings first, then means of all.

    Shrout and Fleiss (1979). Raises NotEstimable for an incomplete table or one without variance.
    """
    n, k = table.shape
    if min(n, k) < 2 or not np.isfinite(table).all():
        raise NotEstimable(say("An intraclass correlation needs a complete table of two clips and two raters or more."))
    rows, columns, grand = table.mean(axis=1), table.mean(axis=0), float(table.mean())
    between = k * float(((rows - grand) ** 2).sum()) / (n - 1)
    judges = n * float(((columns - grand) ** 2).sum()) / (k - 1)
    error = float(((table - rows[:, None] - columns[None, :] + grand) ** 2).sum()) / ((n - 1) * (k - 1))
    within = float(((table - rows[:, None]) ** 2).sum()) / (n * (k - 1))
    if between == 0:
        raise NotEstimable(say("All clips have the same mean, so there is nothing for raters to agree about."))
    return (
        Icc("ICC(1,1)", (between - within) / (between + (k - 1) * within)),
        Icc("ICC(2,1)", (between - error) / (between + (k - 1) * error + k * (judges - error) / n)),
        Icc("ICC(3,1)", (between - error) / (between + (k - 1) * error)),
        Icc("ICC(1,k)", (between - within) / between),
        Icc("ICC(2,k)", (between - error) / (between + (judges - error) / n)),
        Icc("ICC(3,k)", (between - error) / between),
    )

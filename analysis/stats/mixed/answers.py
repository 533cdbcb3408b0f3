"""Ordered answers as counts: a row for each rater, system, covariates (clip, text) and category that occur together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.stats.design import Codes, Design, Floats, Mask, NotEstimable, pairs
from analysis.stats.mixed.terms import CLIP, RATER, SLOPE, TEXT
from core.text.words import say

# More categories than this are a scale, whose mean a Gaussian model describes.
MOST_CATEGORIES = 12


@dataclass(frozen=True, slots=True)
class Answers:
    """`count` ratings of `category` by `cell`, with the fixed part's columns `x` (rows, p); cells belong to raters.

    `x` has a column for every system but the first and for each covariate, centred; `first` is a rating of each row.
    """

    category: Codes
    count: Floats
    cell: Codes
    rater_of_cell: Codes
    x: Floats
    categories: int
    first: Codes

    @classmethod
    def of(cls, design: Design, category: Codes, terms: tuple[str, ...]) -> Answers:
        """Count `category` (n,); without a rater's effect, the cells themselves are the raters."""
        outer = design.rater if RATER in terms else design.cell
        cell = design.cell if SLOPE in terms or RATER not in terms else design.rater
        key = pairs(cell, design.system)
        if design.covariates.shape[1]:
            key = pairs(key, np.unique(design.covariates, axis=0, return_inverse=True)[1].reshape(-1))
        for term, codes in ((CLIP, design.clip), (TEXT, design.text)):
            if term in terms and codes is not None:
                key = pairs(key, codes)
        _, first, at = np.unique(pairs(key, category), return_index=True, return_inverse=True)
        rater_of_cell = np.zeros(int(cell.max()) + 1, dtype=np.int64)
        rater_of_cell[cell] = outer
        centred = design.covariates - design.covariates.mean(axis=0)
        x = np.hstack([np.eye(design.systems)[design.system[first]][:, 1:], centred[first]])
        count = np.bincount(at.reshape(-1)).astype(np.float64)
        return cls(category[first], count, cell[first], rater_of_cell, x, int(category.max()) + 1, first)


def grade(design: Design) -> tuple[Codes, Floats]:
    """Return each rating's category (n,) and the categories' scores, lowest first; NotEstimable where there is one."""
    levels, category = np.unique(design.score, return_inverse=True)
    if len(levels) < 2:
        raise NotEstimable(say("Every answer is the same, so there is nothing to tell systems apart by."))
    if len(levels) > MOST_CATEGORIES:
        raise NotEstimable(
            say("There are {n} different scores; this model is for a few ordered answers.", n=len(levels))
        )
    return category.reshape(-1).astype(np.int64), levels


def separated(design: Design, category: Codes) -> Mask:
    """Return which systems (systems,) got the lowest or the highest category alone: their place has no end."""
    top = category.max()
    ends = np.array([[(category[design.system == s] == end).all() for end in (0, top)] for s in range(design.systems)])
    return np.asarray(ends.any(axis=1), dtype=np.bool_)

"""Counted answers of a cumulative logit model, and the derivatives of their log likelihood, over all raters at once.

log P(y ≤ k) = logit⁻¹(θ_k − η), η = xβ + u_rater + v_cell. For a category between thresholds lo and hi, log p = log
F(hi − η) + log F(η − lo) + log(1 − exp(lo − hi)), so all derivatives need only F. A rater's u and v have an
arrow-shaped Hessian, which is solved in closed form.

Answers are counted: one row for each combination of rater, system, covariates (clip, text) and category.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.stats.design import Codes, Design, Floats, Mask, NotEstimable, pairs
from analysis.stats.mixed.terms import CLIP, RATER, SLOPE, TEXT
from core.text.words import say

# With more categories, use a Gaussian model of the mean.
MOST_CATEGORIES = 12
# Rows of one part: its arrays fit into a processor's cache, which saves a third of the time at a million ratings.
MOST_ROWS = 100_000
# In logits; farther away, all probabilities are 0 or 1.
FARTHEST = 300.0


@dataclass(frozen=True, slots=True)
class CategoryCounts:
    """`count` ratings of `category` by `cell`, with the fixed part's columns `x` (rows, p); cells belong to raters.

    `x` has a column for every system but the first and for each covariate, centred; `first` is the index of one rating
    of each row.
    """

    category: Codes
    count: Floats
    cell: Codes
    rater_of_cell: Codes
    x: Floats
    categories: int
    first: Codes

    @classmethod
    def of(cls, design: Design, category: Codes, terms: tuple[str, ...]) -> CategoryCounts:
        """Count `category` (n,); without a rater effect, each cell is its own rater."""
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

    def by_raters(self) -> list[CategoryCounts]:
        """Split into parts of whole raters, with their own numbers of cells and raters; rows are sorted by both."""
        rater = self.rater_of_cell[self.cell]
        heads = np.unique(rater[::MOST_ROWS])
        rows, cells = (np.append(np.searchsorted(each, heads), len(each)) for each in (rater, self.rater_of_cell))
        return [
            CategoryCounts(
                self.category[row:row_end],
                self.count[row:row_end],
                self.cell[row:row_end] - cell,
                self.rater_of_cell[cell:cell_end] - head,
                self.x[row:row_end],
                self.categories,
                self.first[row:row_end],
            )
            for head, row, row_end, cell, cell_end in zip(heads, rows, rows[1:], cells, cells[1:], strict=False)
        ]


def grade(design: Design) -> tuple[Codes, Floats]:
    """Return each rating's category (n,) and the categories' scores, lowest first; NotEstimable for one or over 12."""
    levels, category = np.unique(design.score, return_inverse=True)
    if len(levels) < 2:
        raise NotEstimable(say("Every answer is the same, so there is nothing to tell systems apart by."))
    if len(levels) > MOST_CATEGORIES:
        raise NotEstimable(
            say("There are {n} different scores; this model is for a few ordered answers.", n=len(levels))
        )
    return category.reshape(-1).astype(np.int64), levels


def separated(design: Design, category: Codes) -> Mask:
    """Mask (systems,) of systems with only the lowest or only the highest category: their location is infinite."""
    top = category.max()
    ends = np.array([[(category[design.system == s] == end).all() for end in (0, top)] for s in range(design.systems)])
    return np.asarray(ends.any(axis=1), dtype=np.bool_)


@dataclass(slots=True)
class Modes:
    """The random effects of the last evaluation, where the next one starts."""

    rater: Floats
    cell: Floats
    crossing: Floats

    @classmethod
    def zero(cls, answers: CategoryCounts, crossing: int) -> Modes:
        cells = len(answers.rater_of_cell)
        return cls(np.zeros(int(answers.rater_of_cell.max()) + 1), np.zeros(cells), np.zeros(crossing))


@dataclass(frozen=True, slots=True)
class RowDerivatives:
    """Derivatives of each row's log p with respect to η (g, −h) and to its thresholds.

    `least` and `most` are the probabilities of at least and of at most the row's category, `below` and `above` those
    of a lower and of a higher one. `gaps` (K,) are the distances between a category's thresholds.
    """

    least: Floats
    most: Floats
    below: Floats
    above: Floats
    f_low: Floats
    f_high: Floats
    gaps: Floats

    @classmethod
    def at(cls, answers: CategoryCounts, thresholds: Floats, eta: Floats) -> RowDerivatives:
        within, eta = (np.clip(logits, -FARTHEST, FARTHEST) for logits in (thresholds, eta))
        edges, odds = np.concatenate([[0.0], np.exp(within), [np.inf]]), np.exp(eta)
        least = 1 / (1 + edges[answers.category] / odds)
        most = 1 / (1 + odds / edges[answers.category + 1])
        below, above = 1 - least, 1 - most
        gaps = np.diff(thresholds, prepend=-np.inf, append=np.inf)
        return cls(least, most, below, above, below * least, above * most, gaps)

    def logp(self, answers: CategoryCounts) -> Floats:
        """Return each row's log p."""
        between: Floats = np.log(-np.expm1(-self.gaps))[answers.category]
        return np.log(self.least * self.most) + between

    @property
    def slope(self) -> Floats:
        return self.below - self.above

    @property
    def bend(self) -> Floats:
        return self.f_low + self.f_high

    @property
    def turns(self) -> tuple[Floats, Floats]:
        """Third derivatives of log p with respect to η: the parts of the lower and of the upper threshold."""
        return self.f_low * (1 - 2 * self.below), -self.f_high * (1 - 2 * self.above)

    def tug(self, answers: CategoryCounts, spread: Floats) -> Floats:
        """Return the derivative of the log determinant by each row's η; `spread` is the row's posterior variance."""
        low, high = self.turns
        return answers.count * spread * -(low + high)

    def gradient(self, answers: CategoryCounts, spread: Floats, q: Floats) -> tuple[Floats, Floats]:
        """Return the gradient of log L by thresholds (K − 1,) and by each row's η; `q` is each row's shift by `tug`."""
        low, high = self.turns
        count = answers.count
        with np.errstate(over="ignore"):
            jump = (1 / np.expm1(self.gaps))[answers.category]
        by_eta = count * (self.slope + 0.5 * spread * (low + high) + 0.5 * q * self.bend)
        by_high = count * (self.above + jump - 0.5 * (spread * high + q * self.f_high))
        by_low = count * (-self.below - jump - 0.5 * (spread * low + q * self.f_low))
        highs, lows = (np.bincount(answers.category, by, minlength=answers.categories) for by in (by_high, by_low))
        return np.asarray(highs[:-1] + lows[1:], dtype=np.float64), by_eta


@dataclass(frozen=True, slots=True)
class Arrow:
    """The Hessian of every rater's (u, v …): `inverse` is 1 / D of each cell, `share` B / D, `schur` that of u."""

    inverse: Floats
    share: Floats
    schur: Floats
    logdet: float

    @classmethod
    def of(cls, answers: CategoryCounts, bend: Floats, rater: float, slope: float) -> Arrow:
        _, weight = gather(answers, bend)
        inverse = slope / (1 + slope * weight) if slope else np.zeros_like(weight)
        share = weight * inverse
        schur = 1 / rater + np.bincount(answers.rater_of_cell, weight * (1 - share)).astype(np.float64)
        logdet = float(np.log(schur * rater).sum() + np.log1p(slope * weight).sum())
        return cls(inverse, share, schur, logdet)

    def solve(self, answers: CategoryCounts, of_rater: Floats, of_cell: Floats) -> tuple[Floats, Floats]:
        up: Floats = (of_rater - np.bincount(answers.rater_of_cell, self.share * of_cell)) / self.schur
        return up, self.inverse * of_cell - self.share * up[answers.rater_of_cell]


def gather(answers: CategoryCounts, values: Floats) -> tuple[Floats, Floats]:
    cell: Floats = np.asarray(np.bincount(answers.cell, values, minlength=len(answers.rater_of_cell)), dtype=np.float64)
    return np.asarray(np.bincount(answers.rater_of_cell, cell), dtype=np.float64), cell

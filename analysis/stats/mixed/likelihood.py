"""The Gaussian model's likelihood for any variances, from sums over ratings that are computed once.

Model: y = Xβ + Σ Z_j b_j + e with b_j ~ N(0, γ_j σ²) and e ~ N(0, σ²). For V = I + Σ γ_j Z_j Z_j', REML and sampling
both need log|V|, X'V⁻¹X, X'V⁻¹y and y'V⁻¹y. Raters and rater:system cells are nested, so both are integrated out in
closed form (Woodbury); clips and texts cross them and are eliminated by a dense Cholesky factor of their size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg, sparse

from analysis.stats.design import Codes, Design, Floats, NotEstimable
from analysis.stats.mixed.terms import CLIP, RATER, SLOPE, TEXT
from core.text.words import say

# A fit factors this size about a hundred times, 15 seconds; for more, use clustered intervals.
MOST_PIECES = 2000
# Tables with at least this share of nonzero elements are multiplied faster when dense.
FULL = 0.1


@dataclass(frozen=True, slots=True)
class Products:
    """For cells × columns C: Σ over cells of weight · C_cell' C_cell, plus Σ over raters of weight · K_rater' K_rater.

    K_rater is the sum of a rater's cells, weighted again. Cells with equally many ratings have the same weights, so
    `squares` (columns², sizes), sparse, has Σ C'C of each size; `example` (sizes,) is the index of one of its cells.
    `within` (raters · columns, cells), sparse, times the weights within raters is K.
    """

    squares: Any
    example: Codes
    within: Any
    columns: int
    is_thin: bool

    @classmethod
    def of(cls, cells: Any, rater: Codes, sizes: Floats) -> Products:
        """Return the sums of a sparse table with a rater and a number of ratings for each row."""
        columns = cells.shape[1]
        _, example, size = np.unique(sizes, return_index=True, return_inverse=True)
        alike = [cells[size == index] for index in range(len(example))]
        squares = sparse.hstack([(rows.T @ rows).tocoo().reshape(columns**2, 1) for rows in alike], format="csr")
        entries = cells.tocoo()
        row, column = entries.coords
        target = rater[row] * columns + column
        shape = ((int(rater.max()) + 1) * columns, cells.shape[0])
        within = sparse.csr_array((entries.data, (target, row)), shape=shape)
        return cls(squares, example, within, columns, np.count_nonzero(np.diff(within.indptr)) < FULL * shape[0])

    def sum(self, by_cell: Floats, by_rater: Floats, within: Floats) -> Floats:
        """Return Σ `by_cell` C'C over cells + Σ `by_rater` K'K over raters; K is the sum of `within` · C over cells."""
        own = np.asarray(self.squares @ by_cell[self.example], dtype=np.float64).reshape(self.columns, self.columns)
        whole = (self.within @ within).reshape(-1, self.columns)
        return own + product(np.sqrt(by_rater), sparse.csr_array(whole) if self.is_thin else whole)


@dataclass(frozen=True, slots=True)
class Moments:
    """log|V|, X'V⁻¹X (p, p), X'V⁻¹r (p,) and r'V⁻¹r of the working residual r = y − X·`start`, in units of σ² = 1."""

    logdet: float
    cross: Floats
    side: Floats
    square: float


def fixed(design: Design) -> Floats:
    """Return X (n, systems + k): one mean per system, at the average of each covariate."""
    columns = np.eye(design.systems)[design.system]
    return np.hstack([columns, design.covariates - design.covariates.mean(axis=0)])


@dataclass(frozen=True, slots=True)
class Likelihood:
    """Gives `Moments` at variance ratios γ, one for each of `terms`; `rows` = n, `start` (p,) least squares.

    Without clips and texts, costs O(raters × systems) for any number of ratings; memory grows with (clips + texts)².
    """

    terms: tuple[str, ...]
    rows: int
    start: Floats
    gram: Floats
    cell_sizes: Floats
    cell_rater: Any
    products: Products
    pieces: tuple[int, ...]

    @classmethod
    def of(cls, design: Design, terms: tuple[str, ...]) -> Likelihood:
        """Sum over the ratings once; NotEstimable if systems and covariates are collinear."""
        means = fixed(design)
        solution = np.linalg.lstsq(means, design.score, rcond=None)
        if solution[2] < means.shape[1]:
            raise NotEstimable(say("Some covariates say the same as the systems or as one another."))
        start = solution[0].astype(np.float64)
        known = ((CLIP, design.clip), (TEXT, design.text))
        codes = [column for term, column in known if term in terms and column is not None]
        pieces = tuple(int(column.max()) + 1 for column in codes)
        if sum(pieces) > MOST_PIECES:
            raise NotEstimable(
                say(
                    "There are more than {n} clips and texts, too many for a model with clips. The default intervals "
                    "count clips as well; the fast model without clips holds for these clips only.",
                    n=f"{MOST_PIECES:,}",
                )
            )
        right = sparse.csr_array(np.column_stack([means, design.score - means @ start]))
        full = sparse.hstack([*(indicators(column) for column in codes), right], format="csr")
        by_cell = indicators(design.cell)
        sizes = np.bincount(design.cell).astype(np.float64)
        raters = np.zeros(len(sizes), dtype=np.int64)
        raters[design.cell] = design.rater
        products = Products.of((by_cell.T @ full).tocsr(), raters, sizes)
        gram = (full.T @ full).toarray()
        return cls(terms, len(design.score), start, gram, sizes, indicators(raters).T.tocsr(), products, pieces)

    def at(self, ratios: Floats) -> Moments:
        by_term = dict(zip(self.terms, ratios, strict=True))
        slope, rater = by_term.get(SLOPE, 0.0), by_term.get(RATER, 0.0)
        shrink = 1 / (1 + self.cell_sizes * slope)
        per_rater = self.cell_rater @ (self.cell_sizes * shrink)
        logdet = float(-np.log(shrink).sum() + np.log1p(rater * per_rater).sum())
        whole = self.gram - self.products.sum(slope * shrink, rater / (1 + rater * per_rater), shrink)
        size = sum(self.pieces)
        if size:
            crossing = [by_term[term] for term in (CLIP, TEXT) if term in by_term]
            scale = np.sqrt(np.repeat(crossing, self.pieces))
            inner = whole[:size, :size] * scale
            inner *= scale[:, None]
            inner.flat[:: size + 1] += 1
            factor = linalg.cholesky(inner, lower=True, overwrite_a=True, check_finite=False)
            logdet += 2 * float(np.log(np.diag(factor)).sum())
            solved = linalg.solve_triangular(
                factor, scale[:, None] * whole[:size, size:], lower=True, check_finite=False
            )
            whole = whole[size:, size:] - solved.T @ solved
        return Moments(logdet, whole[:-1, :-1], whole[:-1, -1], float(whole[-1, -1]))


def product(root: Floats, rows: Any) -> Floats:
    """Return rows' diag(root²) rows as the product of one matrix with itself."""
    if isinstance(rows, np.ndarray):
        scaled = root[:, None] * rows
        return np.asarray(scaled.T @ scaled, dtype=np.float64)
    thin = sparse.diags_array(root) @ rows
    return np.asarray((thin.T @ thin).toarray(), dtype=np.float64)


def indicators(codes: Codes) -> Any:
    rows = len(codes)
    return sparse.csr_array((np.ones(rows), (np.arange(rows), codes)), shape=(rows, int(codes.max()) + 1))

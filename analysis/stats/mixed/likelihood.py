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

# About fifty megabytes; larger tables are multiplied with themselves at every evaluation instead.
MOST_PAIRS, MOST_BLOCKS = 3_000_000, 1_000_000
# A fit factors this size about a hundred times, 15 seconds; for more, use clustered intervals.
MOST_PIECES = 2000
# Small tables of cells × columns are multiplied faster when dense.
MOST_DENSE = 500_000
# So are tables with at least this share of nonzero elements.
FULL = 0.1


@dataclass(frozen=True, slots=True)
class Pairs:
    """For cells × columns C: Σ over raters of Σ over two of their cells of weight · C_cell' C_other.

    The sum is linear in the weights, so one sparse matrix `products` (columns², raters × systems²) contains all
    products, of each two columns once. `place` (cells,) is the index of a cell in raters × systems.
    """

    products: Any
    place: Codes
    shape: tuple[int, int]
    columns: int

    @classmethod
    def of(cls, cells: Any, rater: Codes, system: Codes) -> Pairs | None:
        """Return the pairs of a sparse table with a rater and a system for each row; None if there are too many.

        Rows have to be sorted by rater.
        """
        raters, systems = int(rater.max()) + 1, int(system.max()) + 1
        owner = np.repeat(np.arange(len(rater)), np.diff(cells.indptr))
        sizes = np.bincount(rater[owner], minlength=raters)
        if (sizes.astype(np.float64) ** 2).sum() > MOST_PAIRS or raters * systems**2 > MOST_BLOCKS:
            return None
        begin = np.cumsum(sizes) - sizes
        many = sizes[rater[owner]]
        one = np.repeat(np.arange(len(owner)), many)
        other = np.arange(len(one)) - np.repeat(np.cumsum(many) - many - begin[rater[owner]], many)
        # The sum is symmetric: its lower triangle is enough.
        lower = cells.indices[one] >= cells.indices[other]
        one, other = one[lower], other[lower]
        target = cells.indices[one].astype(np.int64) * cells.shape[1] + cells.indices[other]
        block = (rater[owner[one]] * systems + system[owner[one]]) * systems + system[owner[other]]
        shape = (cells.shape[1] ** 2, raters * systems**2)
        products = sparse.csr_array((cells.data[one] * cells.data[other], (target, block)), shape=shape)
        return cls(products, rater * systems + system, (raters, systems), cells.shape[1])

    def sum(self, by_cell: Floats, by_rater: Floats, within: Floats) -> Floats:
        """Return Σ `by_cell` C'C over cells + Σ `by_rater` K'K over raters; K is the sum of `within` · C over cells."""
        spread = np.zeros(self.shape)
        spread.flat[self.place] = within
        blocks = by_rater[:, None, None] * spread[:, :, None] * spread[:, None, :]
        own = np.zeros(self.shape)
        own.flat[self.place] = by_cell
        np.einsum("rss->rs", blocks)[:] += own
        lower = np.asarray(self.products @ blocks.reshape(-1), dtype=np.float64).reshape(self.columns, self.columns)
        return lower + np.tril(lower, -1).T


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sum of `Pairs` for few columns, where the weights of cells with equally many ratings are the same.

    `squares` (sizes, columns²) are Σ C'C over the cells of each size, `example` (sizes,) is the index of one of them.
    `within` (raters · columns, cells) times the weights within raters is K.
    """

    squares: Floats
    example: Codes
    within: Any
    columns: int

    @classmethod
    def of(cls, cells: Any, rater: Codes, sizes: Floats) -> Sizes:
        """Return the sums of a sparse table with a rater and a number of ratings for each row."""
        columns = cells.shape[1]
        _, example, size = np.unique(sizes, return_index=True, return_inverse=True)
        alike = [cells[size == index] for index in range(len(example))]
        squares = np.stack([(rows.T @ rows).toarray().reshape(-1) for rows in alike])
        entries = cells.tocoo()
        row, column = entries.coords
        shape = ((int(rater.max()) + 1) * columns, cells.shape[0])
        within = sparse.csr_array((entries.data, (rater[row] * columns + column, row)), shape=shape)
        return cls(squares, example, within, columns)

    def sum(self, by_cell: Floats, by_rater: Floats, within: Floats) -> Floats:
        """Return the same as `Pairs.sum`."""
        own = (by_cell[self.example] @ self.squares).reshape(self.columns, self.columns)
        return own + product(np.sqrt(by_rater), (self.within @ within).reshape(-1, self.columns))


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
    cells: Any
    cell_sizes: Floats
    cell_rater: Any
    pairs: Pairs | Sizes | None
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
        raters, systems = np.zeros((2, len(sizes)), dtype=np.int64)
        raters[design.cell], systems[design.cell] = design.rater, design.system
        cells = (by_cell.T @ full).tocsr()
        pairs = Pairs.of(cells, raters, systems) if pieces else Sizes.of(cells, raters, sizes)
        cells = cells.toarray() if cells.shape[0] * cells.shape[1] <= MOST_DENSE else cells
        gram = (full.T @ full).toarray()
        return cls(terms, len(design.score), start, gram, cells, sizes, indicators(raters).T.tocsr(), pairs, pieces)

    def at(self, ratios: Floats) -> Moments:
        by_term = dict(zip(self.terms, ratios, strict=True))
        slope, rater = by_term.get(SLOPE, 0.0), by_term.get(RATER, 0.0)
        shrink = 1 / (1 + self.cell_sizes * slope)
        per_rater = self.cell_rater @ (self.cell_sizes * shrink)
        logdet = float(-np.log(shrink).sum() + np.log1p(rater * per_rater).sum())
        whole = self.gram - self._nested(slope * shrink, rater / (1 + rater * per_rater), shrink)
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

    def _nested(self, by_cell: Floats, by_rater: Floats, shrink: Floats) -> Floats:
        """Return the part that raters and rater:system subtract from the products of all columns."""
        if self.pairs is not None:
            return self.pairs.sum(by_cell, by_rater, shrink)
        by_raters = scaled(shrink, self.cells, self.cell_rater)
        if not isinstance(by_raters, np.ndarray) and by_raters.nnz > FULL * by_raters.shape[0] * by_raters.shape[1]:
            by_raters = by_raters.toarray()
        return product(np.sqrt(by_cell), self.cells) + product(np.sqrt(by_rater), by_raters)


def product(root: Floats, rows: Any) -> Floats:
    """Return rows' diag(root²) rows as the product of one matrix with itself."""
    if isinstance(rows, np.ndarray):
        scaled = root[:, None] * rows
        return np.asarray(scaled.T @ scaled, dtype=np.float64)
    thin = sparse.diags_array(root) @ rows
    return np.asarray((thin.T @ thin).toarray(), dtype=np.float64)


def scaled(weight: Floats, rows: Any, sums: Any) -> Any:
    """Return the `sums` (raters × cells) of rows times their weights."""
    return sums @ (weight[:, None] * rows if isinstance(rows, np.ndarray) else sparse.diags_array(weight) @ rows)


def indicators(codes: Codes) -> Any:
    rows = len(codes)
    return sparse.csr_array((np.ones(rows), (np.arange(rows), codes)), shape=(rows, int(codes.max()) + 1))

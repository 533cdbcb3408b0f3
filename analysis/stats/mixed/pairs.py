"""Sums over raters of products of what they rated, for any weights, without multiplying the tables anew each time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from analysis.stats.design import Codes, Floats

# Some fifty megabytes; tables with more in them are multiplied with themselves each time.
MOST_PAIRS, MOST_BLOCKS = 3_000_000, 1_000_000


@dataclass(frozen=True, slots=True)
class Pairs:
    """For cells × columns C: Σ over raters of Σ over two of their cells of weight · C_cell' C_other.

    The sum is linear in the weights, so all products stand in one sparse matrix `products` (columns², raters ×
    systems²). `place` (cells,) says which of raters × systems a cell is.
    """

    products: Any
    place: Codes
    shape: tuple[int, int]
    columns: int

    @classmethod
    def of(cls, cells: Any, rater: Codes, system: Codes) -> Pairs | None:
        """Return the pairs of a sparse table whose rows belong to a rater and a system; None when there are too many.

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
        target = cells.indices[one].astype(np.int64) * cells.shape[1] + cells.indices[other]
        block = (rater[owner[one]] * systems + system[owner[one]]) * systems + system[owner[other]]
        shape = (cells.shape[1] ** 2, raters * systems**2)
        products = sparse.csr_array((cells.data[one] * cells.data[other], (target, block)), shape=shape)
        return cls(products, rater * systems + system, (raters, systems), cells.shape[1])

    def sum(self, by_cell: Floats, by_rater: Floats, within: Floats) -> Floats:
        """Return Σ `by_cell` C'C over cells + Σ `by_rater` K'K over raters, K their sum of `within` · C over cells."""
        spread = np.zeros(self.shape)
        spread.flat[self.place] = within
        blocks = by_rater[:, None, None] * spread[:, :, None] * spread[:, None, :]
        own = np.zeros(self.shape)
        own.flat[self.place] = by_cell
        np.einsum("rss->rs", blocks)[:] += own
        return np.asarray(self.products @ blocks.reshape(-1), dtype=np.float64).reshape(self.columns, self.columns)

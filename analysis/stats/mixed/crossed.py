"""Laplace's approximation and its gradient, with or without clips and texts, which cross raters.

The Hessian of all random effects is that of raters and rater:system (`laplace.Arrow`), with a dense border for clips
and texts. The arrow is eliminated in closed form; what remains is the border's Schur complement S, which is factored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg, sparse

from analysis.stats.design import Codes, Design, Floats, NotEstimable
from analysis.stats.mixed.laplace import Arrow, CategoryCounts, Modes, RowDerivatives, gather
from analysis.stats.mixed.likelihood import indicators, product
from analysis.stats.mixed.terms import CLIP, TEXT
from core.text.words import say

STEPS = 60
LONGEST_STEP = 3.0
# Newton's method has converged if its next step is shorter, in logits; the error then is about the square of this.
CLOSE = 1e-7
# A fit factors S about two hundred times, a minute at this size; and a table of cells × clips must fit into memory.
MOST_CROSSING, LARGEST_TABLE = 2000, 20_000_000
# Small tables of cells × clips are multiplied faster when dense.
MOST_DENSE = 500_000


@dataclass(frozen=True, slots=True)
class Crossing:
    """The clips and texts of answers' rows: `codes` (terms, rows) are numbered consecutively over all terms.

    `entry` (terms, rows) is the index of a row's pair in the sorted pairs of `entry_cell` and `entry_code`.
    """

    codes: Codes
    levels: Codes
    entry: Codes
    entry_cell: Codes
    entry_code: Codes
    begin: Codes
    raters: Any

    @classmethod
    def of(cls, design: Design, answers: CategoryCounts, terms: tuple[str, ...]) -> Crossing:
        known = ((CLIP, design.clip), (TEXT, design.text))
        columns = [column for term, column in known if term in terms and column is not None]
        levels = np.array([int(column.max()) + 1 for column in columns], dtype=np.int64)
        width = int(levels.sum())
        cells = len(answers.rater_of_cell)
        if width > MOST_CROSSING or width * cells > LARGEST_TABLE:
            raise NotEstimable(
                say(
                    "There are {pieces} clips and texts, rated by {cells} combinations of a rater and a system: too "
                    "many for an ordinal or logistic model with clips.",
                    pieces=f"{width:,}",
                    cells=f"{cells:,}",
                )
            )
        starts = (np.cumsum(levels) - levels)[:, None]
        codes = np.array([column[answers.first] for column in columns], dtype=np.int64)
        codes = codes.reshape(-1, len(answers.first)) + starts
        keys, entry = np.unique(answers.cell * width + codes, return_inverse=True)
        cell, code = np.divmod(keys, width)
        begin = np.searchsorted(cell, np.arange(len(answers.rater_of_cell) + 1))
        raters = indicators(answers.rater_of_cell).T.tocsr()
        return cls(codes, levels, entry.reshape(codes.shape), cell, code, begin, raters)

    @property
    def width(self) -> int:
        return int(self.levels.sum())

    def split(self, effects: Floats) -> list[Floats]:
        """Split effects by term."""
        return np.split(effects, np.cumsum(self.levels))[:-1]

    def gather(self, values: Floats) -> Floats:
        """Return the sums (width,) of rows' values by clip and by text."""
        sums = np.bincount(self.codes.reshape(-1), np.tile(values, len(self.codes)), minlength=self.width)
        return np.asarray(sums, dtype=np.float64)

    def entries(self, values: Floats) -> Floats:
        """Return the sums of rows' values by cell and clip, and by cell and text: one for each entry."""
        return np.asarray(np.bincount(self.entry.reshape(-1), np.tile(values, len(self.codes))), dtype=np.float64)

    def table(self, entries: Floats) -> Any:
        """Return entries as a table with cells as rows, clips and texts as columns."""
        shape = (len(self.begin) - 1, self.width)
        table = sparse.csr_array((entries, self.entry_code, self.begin), shape=shape)
        return table.toarray() if shape[0] * shape[1] <= MOST_DENSE else table

    def square(self, values: Floats) -> Floats:
        """Return the sums (width, width) of rows' values by pairs of clips and texts."""
        sums = np.zeros(self.width**2)
        for one in self.codes:
            for other in self.codes:
                sums += np.bincount(one * self.width + other, values, minlength=len(sums))
        return sums.reshape(self.width, self.width)


@dataclass(frozen=True, slots=True)
class _Border:
    """The Hessian of all effects: its arrow, `table` Z_cell' W Z_w also as `entries`, `pull` K by raters, S = LL'."""

    arrow: Arrow
    entries: Floats
    table: Any
    pull: Any
    factor: Floats
    logdet: float

    @classmethod
    def of(
        cls, answers: CategoryCounts, crossing: Crossing, bend: Floats, pair: tuple[float, float], variances: Floats
    ) -> _Border:
        arrow = Arrow.of(answers, bend, *pair)
        entries = crossing.entries(bend)
        table = crossing.table(entries)
        pull = _scaled(1 - arrow.share, table, crossing.raters)
        schur = crossing.square(bend) - product(np.sqrt(arrow.inverse), table) - product(arrow.schur**-0.5, pull)
        # In units of each effect's SD, the matrix is never nearly singular, even if an SD is nearly zero.
        root = np.sqrt(variances)
        schur *= np.outer(root, root)
        schur.flat[:: len(schur) + 1] += 1
        factor = linalg.cholesky(schur, lower=True, overwrite_a=True, check_finite=False)
        logdet = arrow.logdet + 2 * float(np.log(np.diag(factor)).sum())
        return cls(arrow, entries, table, pull, factor / root[:, None], logdet)

    def solve(
        self, answers: CategoryCounts, crossing: Crossing, of_rater: Floats, of_cell: Floats, of_crossing: Floats
    ) -> tuple[Floats, Floats, Floats]:
        up, along = self.arrow.solve(answers, of_rater, of_cell)
        moved = of_crossing - self.table.T @ (up[answers.rater_of_cell] + along)
        across = linalg.cho_solve((self.factor, True), moved, check_finite=False)
        by_cell = self.table @ across
        return (*self.arrow.solve(answers, of_rater - crossing.raters @ by_cell, of_cell - by_cell), across)


@dataclass(frozen=True, slots=True)
class _Spread:
    """Posterior variances of the effects: sums over raters, cells and each of the `terms`, and those of `rows`."""

    rater: float
    cell: float
    terms: Floats
    rows: Floats

    @classmethod
    def of(cls, answers: CategoryCounts, crossing: Crossing, border: _Border) -> _Spread:
        arrow, owner, cell = border.arrow, answers.rater_of_cell, crossing.entry_cell
        lower = linalg.lapack.dpotri(border.factor, lower=1)[0] if crossing.width else border.factor
        inverse = np.tril(lower) + np.tril(lower, -1).T
        keep, share, schur = 1 - arrow.share, arrow.share, arrow.schur[owner]
        # S⁻¹ between a cell's (or its rater's) own column and each clip rated in the cell.
        own = np.asarray(border.table @ inverse)[cell, crossing.entry_code]
        whole = np.asarray(border.pull @ inverse)[owner[cell], crossing.entry_code]
        of_own, of_both = (np.bincount(cell, border.entries * each, minlength=len(owner)) for each in (own, whole))
        of_whole = np.bincount(owner, keep * of_both)

        def squared(part: Floats) -> Floats:
            """Return g'S⁻¹g for g = inverse · own column + part · the rater's."""
            quadratic: Floats = (
                arrow.inverse**2 * of_own + 2 * arrow.inverse * part * of_both + part**2 * of_whole[owner]
            )
            return quadratic

        by_cell = keep**2 / schur + arrow.inverse + squared(keep / schur)
        met = arrow.inverse[cell] * own + (keep / schur)[cell] * whole
        rows = by_cell[answers.cell] - 2 * met[crossing.entry].sum(axis=0)
        for one in crossing.codes:
            rows = rows + inverse[one, crossing.codes].sum(axis=0)
        return cls(
            float((1 / arrow.schur + of_whole / arrow.schur**2).sum()),
            float((arrow.inverse + share**2 / schur + squared(-share / schur)).sum()),
            np.array([part.sum() for part in crossing.split(np.diag(inverse))]),
            rows,
        )


def evaluate(
    answers: CategoryCounts,
    crossing: Crossing,
    thresholds: Floats,
    beta: Floats,
    pair: tuple[float, float],
    sds: Floats,
    modes: Modes,
) -> tuple[float, Floats]:
    """Return log L and its gradient by thresholds (K − 1,), β (p,) and log SDs: rater, slope, then the crossing `sds`.

    A slope SD of 0 in `pair` leaves it out. Updates `modes` to the conditional modes of the random effects. The
    gradient is exact: it includes the changes of the modes and of the log determinant.
    """
    variances = (pair[0] ** 2, pair[1] ** 2)
    each = np.repeat(sds**2, crossing.levels)
    rows, border = _climb(answers, crossing, thresholds, answers.x @ beta, variances, each, modes)
    spread = _Spread.of(answers, crossing, border)
    u, v, w = modes.rater, modes.cell, modes.crossing
    tug = rows.tug(answers, spread.rows)
    q_rater, q_cell, q_crossing = border.solve(answers, crossing, *gather(answers, tug), crossing.gather(tug))
    inner = q_rater[answers.rater_of_cell] + (q_cell if variances[1] else 0.0)
    q = inner[answers.cell] + q_crossing[crossing.codes].sum(axis=0)
    edges, by_eta = rows.gradient(answers, spread.rows, q)
    value = float(answers.count @ rows.logp(answers)) - 0.5 * (
        float(u @ u) / variances[0] + float(w @ (w / each)) + border.logdet
    )
    by_sds = [(float(u @ u) + spread.rater - float(q_rater @ u)) / variances[0] - len(u)]
    if variances[1]:
        value -= 0.5 * float(v @ v) / variances[1]
        by_sds.append((float(v @ v) + spread.cell - float(q_cell @ v)) / variances[1] - len(v))
    bent = np.array([float(part.sum()) for part in crossing.split((w - q_crossing) * w)])
    by_sds += ((bent + spread.terms) / sds**2 - crossing.levels).tolist()
    return value, np.concatenate([edges, answers.x.T @ by_eta, by_sds])


def _climb(
    answers: CategoryCounts,
    crossing: Crossing,
    thresholds: Floats,
    fixed: Floats,
    variances: tuple[float, float],
    each: Floats,
    modes: Modes,
) -> tuple[RowDerivatives, _Border]:
    """Newton's method for all random effects; converges with short steps, since the log posterior is concave."""
    for _ in range(STEPS):
        inner = modes.rater[answers.rater_of_cell] + modes.cell
        effects = inner[answers.cell] + modes.crossing[crossing.codes].sum(axis=0)
        rows = RowDerivatives.at(answers, thresholds, fixed + effects)
        border = _Border.of(answers, crossing, answers.count * rows.bend, variances, each)
        pull = answers.count * rows.slope
        of_rater, of_cell = gather(answers, pull)
        of_cell = of_cell - modes.cell / variances[1] if variances[1] else 0 * of_cell
        steps = border.solve(
            answers,
            crossing,
            of_rater - modes.rater / variances[0],
            of_cell,
            crossing.gather(pull) - modes.crossing / each,
        )
        if max(float(np.abs(step).max(initial=0.0)) for step in steps) < CLOSE:
            break
        up, along, across = (np.clip(step, -LONGEST_STEP, LONGEST_STEP) for step in steps)
        modes.rater, modes.cell, modes.crossing = modes.rater + up, modes.cell + along, modes.crossing + across
    return rows, border


def _scaled(weight: Floats, rows: Any, sums: Any) -> Any:
    """Return the `sums` (raters × cells) of rows times their weights."""
    return sums @ (weight[:, None] * rows if isinstance(rows, np.ndarray) else sparse.diags_array(weight) @ rows)

"""Choices among alternatives: the model that preferences, best–worst and rankings share.

P(chosen) = exp(x'β) / Σ exp(x'β) over the alternatives of a choice (conditional logit; McFadden 1974).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.linalg import helmert, solve
from scipy.optimize import linprog

from analysis.stats.design import Codes, Floats, Mask, NotEstimable
from core.text.words import say

MOST_STEPS, SMALLEST_STEP = 100, 1e-10


@dataclass(frozen=True, slots=True)
class Choices:
    """Alternatives as rows: `features` (n, p), `choice` (n,) = 0, 0, …, 1, 1, … without gaps, `chosen` (n,).

    Each choice has exactly one chosen row. `answer` (choices,) is the answer that the choice belongs to: an answer may
    hold several, such as the best and the worst.
    """

    features: Floats
    choice: Codes
    chosen: Mask
    answer: Codes

    @property
    def margins(self) -> Floats:
        """The distinct differences (m, p) of the features chosen and those not chosen."""
        winner = self.features[self.chosen][self.choice]
        rows = (winner - self.features)[~self.chosen]
        return pd.DataFrame(rows).drop_duplicates().to_numpy(dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Fit:
    """The maximum likelihood estimate (p,), its information (p, p), and the log-likelihood.

    `scores` (answers, p) are the derivatives of each answer's log-likelihood; they add to zero. `pieces` (n, p), a row
    for each alternative of `choices`, have the information as their sum of squares P'P.
    """

    coefficients: Floats
    information: Floats
    log_likelihood: float
    scores: Floats
    pieces: Floats
    choices: Choices


def strengths_basis(systems: int) -> Floats:
    """Return (systems, systems − 1) orthonormal columns that each add to zero, so that strengths do."""
    basis: Floats = helmert(systems).T
    return basis


def separation(margins: Floats) -> Floats | None:
    """Return a direction (p,) in which the likelihood grows without end; None if the estimate is finite and unique.

    By linear programming over `Choices.margins` (Albert and Anderson 1984; Konis 2007). A direction that changes no
    probability counts, too: the estimate is not unique then.
    """
    size = margins.shape[1]
    total = margins.sum(axis=0)
    scale = float(np.abs(margins).max())
    found = linprog(-total / scale, A_ub=-margins / scale, b_ub=np.zeros(len(margins)), bounds=[(-1, 1)] * size)
    direction = np.array(found.x, dtype=np.float64)
    if float((margins @ direction).sum()) > 1e-7 * scale:
        return direction
    _, singular, vectors = np.linalg.svd(margins)
    rank = int((singular > 1e-9 * singular[0]).sum())
    return None if rank == size else np.asarray(vectors[-1], dtype=np.float64)


def fit(choices: Choices) -> Fit:
    """Fit by Newton's method with step halving; call only if `separation` returns None.

    Raises NotEstimable if it doesn't converge.
    """
    count = len(choices.answer)
    at = sparse.csr_array((np.ones(len(choices.choice)), (choices.choice, np.arange(len(choices.choice)))))
    coefficients = np.zeros(choices.features.shape[1])
    value = _log_likelihood(choices, coefficients, count)
    for _step in range(MOST_STEPS):
        share = _shares(choices, coefficients, count)
        expected = np.asarray(at @ (share[:, None] * choices.features))
        centred = choices.features - expected[choices.choice]
        pieces = np.sqrt(share)[:, None] * centred
        information = pieces.T @ pieces
        by_choice = centred[choices.chosen]
        step = solve(information, by_choice.sum(axis=0), assume_a="pos")
        if float(np.abs(step).max()) < SMALLEST_STEP:
            scores = np.stack([np.bincount(choices.answer, column) for column in by_choice.T], axis=1).astype(
                np.float64
            )
            return Fit(coefficients, information, value, scores, pieces, choices)
        size = 1.0
        while (next_value := _log_likelihood(choices, coefficients + size * step, count)) < value - 1e-9 * abs(value):
            size /= 2
        coefficients, value = coefficients + size * step, next_value
    raise NotEstimable(say("The model of these choices did not converge."))


def _shares(choices: Choices, coefficients: Floats, count: int) -> Floats:
    utility = choices.features @ coefficients
    highest = np.full(count, -np.inf)
    np.maximum.at(highest, choices.choice, utility)
    weight = np.exp(utility - highest[choices.choice])
    shares: Floats = weight / np.bincount(choices.choice, weight)[choices.choice]
    return shares


def _log_likelihood(choices: Choices, coefficients: Floats, count: int) -> float:
    with np.errstate(divide="ignore"):
        return float(np.log(_shares(choices, coefficients, count)[choices.chosen]).sum())

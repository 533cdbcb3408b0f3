"""Published comparisons, and simulated ones with known strengths."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.stats.design import Floats
from analysis.stats.preferences.answers import Preferences
from analysis.stats.preferences.choices import Choices, Fit, fit, strengths_basis
from tests.bench.examples import matrix


def spread(rows: list[tuple[int, int, int, int, int]]) -> Preferences:
    """Return answers from counts: first, second, its wins, losses and ties. Raters and texts take turns."""
    first, second, outcome = [], [], []
    for one, other, *counts in rows:
        for label, count in zip(("first", "second", "tie"), counts, strict=True):
            first += [one] * count
            second += [other] * count
            outcome += [label] * count
    at = np.arange(len(first))
    return Preferences.of(at % 12, at // 12 % 10, first, second, outcome)


def contest(name: str) -> Preferences:
    """Return the answers of a published example: columns first, second, its wins, losses and, if possible, ties."""
    rows = matrix(name).astype(int)
    ties = np.zeros((len(rows), 5 - rows.shape[1]), dtype=int)
    return spread([tuple(row) for row in np.hstack([rows, ties]).tolist()])


def against_first(choices: Choices, systems: int) -> tuple[Fit, Floats]:
    """Return the fit, and rows that turn its coefficients into log-strengths less the first, and the others."""
    fitted = fit(choices)
    basis = strengths_basis(systems)
    rows = np.eye(len(fitted.coefficients) + 1)[1:, 1:]
    rows[: systems - 1, : systems - 1] = basis[1:] - basis[0]
    return fitted, rows


def estimates(choices: Choices, systems: int) -> tuple[Floats, Floats]:
    """Return the log-strengths less the first, and the others, with their errors if all answers are independent."""
    fitted, rows = against_first(choices, systems)
    errors = np.sqrt(np.diag(rows @ np.linalg.inv(fitted.information) @ rows.T))
    return rows @ fitted.coefficients, errors


@dataclass(frozen=True, slots=True)
class Contest:
    """A study of pairs: SDs of raters' and texts' liking of a system, the share of ties and the effect of order.

    Every rater answers once for each text, about a pair drawn at random; `systems` are equally far apart over `range`.
    The `order`, `nu` and strengths are those of a typical rater and text; the averages over raters and texts, which the
    model estimates, are nearer to 0.
    """

    raters: int
    texts: int
    systems: int
    range: float = 1.0
    liking: float = 0.5
    text: float = 0.5
    order: float = 0.2
    nu: float = 0.4

    @property
    def strengths(self) -> Floats:
        return np.linspace(-self.range / 2, self.range / 2, self.systems)

    def draw(self, rng: np.random.Generator) -> Preferences:
        rater, text = (codes.ravel() for codes in np.indices((self.raters, self.texts)))
        first = rng.integers(0, self.systems, len(rater))
        second = (first + rng.integers(1, self.systems, len(rater))) % self.systems
        liking = rng.normal(0, self.liking, (self.raters, self.systems))[rater]
        liking += rng.normal(0, self.text, (self.texts, self.systems))[text] + self.strengths
        at = np.arange(len(rater))
        odds = liking[at, first] - liking[at, second] + self.order
        weights = np.stack([np.exp(odds / 2), np.exp(-odds / 2), np.full(len(at), self.nu)], axis=1)
        shares = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
        picked = (rng.random(len(at))[:, None] > shares).sum(axis=1)
        return Preferences.of(rater, text, first, second, np.array(["first", "second", "tie"])[picked])

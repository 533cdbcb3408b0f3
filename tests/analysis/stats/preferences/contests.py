"""Published comparisons, and simulated ones with known strengths."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.stats.design import Floats
from analysis.stats.preferences.answers import Preferences

# Stigler (1994), in R's BradleyTerry2 as `citations`: cited in rows, citing in columns. Biometrika, Comm Statist, JASA,
# JRSS-B.
CITATIONS = ((714, 730, 498, 221), (33, 425, 68, 17), (320, 813, 1072, 142), (284, 276, 325, 188))
# Agresti (2002), in BradleyTerry2 as `baseball`: home team, away team, home wins, away wins. 1 Baltimore, 2 Boston,
# 3 Cleveland, 4 Detroit, 5 Milwaukee, 6 New York, 7 Toronto.
BASEBALL = (
    "5443 5742 5643 5261 5342 5160 4533 4742 4643 4260 4361 4143 7525 7443 7624 7243 7342 7160 6533 6451 6725 "
    "6243 6342 6161 2551 2425 2733 2642 2352 2160 3525 3433 3734 3643 3242 3124 1525 1415 1716 1624 1216 1334"
)
# Springall (1973), in BradleyTerry2 as `springall`: flavour strength of 9 mixtures, pairs 1–2, 1–3, …: the row's wins,
# losses, ties.
SPRINGALL = (
    "2 16 7 0 21 1 5 10 10 2 15 7 0 22 2 12 3 9 13 9 5 10 12 3 6 11 5 17 2 7 9 6 8 8 12 6 24 2 0 16 3 5 15 2 7 "
    "22 2 4 14 4 5 11 4 7 24 1 3 22 0 3 17 2 6 3 14 9 2 18 4 12 6 5 10 6 6 8 9 11 5 11 9 20 0 2 15 2 5 13 5 9 27 1 0 "
    "19 1 5 18 2 2 2 13 8 2 21 5 6 8 8"
)


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


def citations() -> Preferences:
    return spread([(one, two, CITATIONS[one][two], CITATIONS[two][one], 0) for one in range(4) for two in range(one)])


def baseball() -> Preferences:
    return spread([(*map(int, game), 0) for game in BASEBALL.split()])  # type: ignore[arg-type]


def springall() -> Preferences:
    counts = np.array(SPRINGALL.split(), dtype=int).reshape(36, 3)
    at = [(one, two) for one in range(1, 10) for two in range(one + 1, 10)]
    return spread([(*names, *map(int, row)) for names, row in zip(at, counts, strict=True)])  # type: ignore[arg-type]


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

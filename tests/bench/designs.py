"""How often do intervals hold on designs that labs run? `python -m tests.bench.designs --sets 2000 --seed 77`.

Scores are drawn with known truth: raters, their liking of a system, texts, texts as a system speaks them, takes and
chance differ. Bounds: coverage within .93 and .98 (.99 with less than 10 raters and 10 texts, where intervals are a
little too wide), a family error of at most .065, a wrong "not inferior" in at most .045 of studies with the truth at
the margin. The program ends with 1 where 2,000 sets break one of them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from analysis.stats.contrasts import all_pairs
from analysis.stats.design import Design, Floats
from analysis.stats.intervals import difference, intervals, pair
from analysis.stats.twoway import means
from tests.bench.stage import say

LOWEST, HIGHEST, FAMILY, WRONG = 0.93, 0.98, 0.065, 0.045
FEW, HIGHEST_OF_FEW = 10, 0.99
# Far from the scores, so that no end of a scale matters.
WIDE = 50.0


@dataclass(frozen=True, slots=True)
class Crowd:
    """Equal systems: raters, texts of each system or shared ones, takes of each text, and SDs beside a chance of 1.

    Every rater rates `each` texts of each system (0: all), all takes; or `ratings` in all, half of them by one rater.
    """

    raters: int
    texts: int
    systems: int = 2
    rater: float = 0.5
    liking: float = 0.3
    text: float = 0.5
    is_shared: bool = False
    takes: int = 1
    each: int = 0
    ratings: int = 0

    def study(self, rng: np.random.Generator) -> Design:
        who, which, place, take = self._heard(rng)
        text = place if self.is_shared else which * self.texts + place
        texts = self.texts if self.is_shared else self.texts * self.systems
        score = rng.normal(0, self.rater, self.raters)[who] + rng.normal(0, 1, len(who))
        score += rng.normal(0, self.liking, (self.raters, self.systems))[who, which]
        score += (
            rng.normal(0, self.text, texts)[text] + rng.normal(0, self.text / 2, (texts, self.systems))[text, which]
        )
        score += rng.normal(0, 0.2, (texts, self.systems, self.takes))[text, which, take]
        return Design.of(score, who, which, (text * self.systems + which) * self.takes + take, text)

    def _heard(self, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
        if self.ratings:
            share = np.full(self.raters, 0.5 / (self.raters - 1))
            share[0] = 0.5
            who = rng.choice(self.raters, self.ratings, p=share)
            drawn = (rng.integers(0, most, self.ratings) for most in (self.systems, self.texts, self.takes))
            return who, *drawn
        shape = (self.raters, self.systems, self.texts)
        chosen = np.argsort(rng.random(shape), axis=2)[:, :, : self.each or self.texts]
        who, which, _ = (np.repeat(codes.ravel(), self.takes) for codes in np.indices(chosen.shape))
        return who, which, np.repeat(chosen.ravel(), self.takes), np.tile(np.arange(self.takes), chosen.size)


COVERAGE = {
    "4 takes of 6 own texts, 14 raters": Crowd(14, 6, text=0.7, takes=4),
    "3 systems, 2 voices, 10 shared texts, 20 raters": Crowd(20, 10, 3, 0.8, 0.2, is_shared=True, takes=2),
    "one of 16 raters has half, SD 1.2": Crowd(16, 20, rater=1.2, liking=0.4, text=0.3, ratings=800),
    "one of 60 has half, shared texts": Crowd(60, 30, rater=1.0, liking=0.5, text=0.3, is_shared=True, ratings=1500),
    "6 raters, 30 own texts": Crowd(6, 30),
    "80 raters, 5 own texts, 3 each": Crowd(80, 5, text=0.7, each=3),
    "3 systems, 7 raters, 7 shared texts": Crowd(7, 7, 3, is_shared=True),
    "3 systems, 25 raters, 40 own texts, 10 each": Crowd(25, 40, 3, text=0.4, each=10),
    "20 raters and 20 texts, all alike": Crowd(20, 20, rater=0.0, liking=0.0, text=0.0),
}
FAMILIES = {
    "10 systems, 6 own texts, 12 raters": Crowd(12, 6, 10, text=0.6),
    "9 systems, 6 shared texts, 12 raters": Crowd(12, 6, 9, text=0.6, is_shared=True),
    "6 systems, 20 own texts, 30 raters, 6 each": Crowd(30, 20, 6, text=0.4, each=6),
}
# Share of human speech called human, margin, raters, texts.
ENDS = {
    "human .985, 60 raters, 8 texts": (0.985, 0.10, 60, 8),
    "human .98, 12 raters, 25 texts": (0.98, 0.10, 12, 25),
    "human .99, 40 raters, 40 texts": (0.99, 0.05, 40, 40),
    "human .98, 120 raters, 5 texts": (0.98, 0.10, 120, 5),
}


def covered(crowd: Crowd, rng: np.random.Generator) -> tuple[float, float]:
    """Return the share of means, and of differences, with an interval that holds 0."""
    found = means(crowd.study(rng))
    of_means = [(each.low, each.high) for each in intervals(found, low=-WIDE, high=WIDE)]
    at = [pair(crowd.systems, *each) for each in combinations(range(crowd.systems), 2)]
    of_pairs = [difference(found, each, low=-WIDE, high=WIDE).ends(0.05) for each in at]
    held = [
        [low is not None and high is not None and low <= 0 <= high for low, high in ends]
        for ends in (of_means, of_pairs)
    ]
    return float(np.mean(held[0])), float(np.mean(held[1]))


def has_family_error(crowd: Crowd, rng: np.random.Generator) -> bool:
    """True where any pair of equal systems differs."""
    return min(found.p for found in all_pairs(means(crowd.study(rng)), low=-WIDE, high=WIDE)) < 0.05


def near_end(human: float, margin: float, raters: int, texts: int, rng: np.random.Generator) -> tuple[bool, bool]:
    """Return whether a system at the margin is wrongly "not inferior", and whether the interval holds the truth."""
    who, which, place = (codes.ravel() for codes in np.indices((raters, 2, texts)))
    at = np.array([_place(human), _place(human - margin)])
    latent = at[which] + rng.normal(0, 0.8, raters)[who] + rng.normal(0, 0.6, (2, texts))[which, place]
    text = which * texts + place
    found = means(Design.of((rng.random(len(who)) < expit(latent)).astype(float), who, which, text, text))
    low, high = difference(found, pair(2, 1, 0), low=0, high=1).ends(0.05)
    return low > -margin, low <= -margin <= high


def _place(share: float) -> float:
    """Return the log-odds at which the expected share over raters and texts, of SD 1, is this."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    expected: Floats = weights / weights.sum()
    return float(brentq(lambda place: float(expected @ expit(place + nodes)) - share, -30, 30))


def rows(sets: int, seed: int) -> Iterator[tuple[str, str, bool]]:
    """Yield each design, its figures, and whether they are within the bounds."""

    def draws() -> Iterator[np.random.Generator]:
        return (np.random.default_rng([seed, number]) for number in range(sets))

    for name, crowd in COVERAGE.items():
        mean, apart = np.mean([covered(crowd, rng) for rng in draws()], axis=0)
        highest = HIGHEST_OF_FEW if max(crowd.raters, crowd.texts) < FEW else HIGHEST
        yield (
            name,
            f"means {mean:.3f}, differences {apart:.3f}",
            LOWEST <= min(mean, apart) <= max(mean, apart) <= highest,
        )
    for name, crowd in FAMILIES.items():
        error = float(np.mean([has_family_error(crowd, rng) for rng in draws()]))
        yield name, f"family error {error:.3f}", error <= FAMILY
    for name, (human, margin, raters, texts) in ENDS.items():
        wrong, held = np.mean([near_end(human, margin, raters, texts, rng) for rng in draws()], axis=0)
        yield name, f"wrong “not inferior” {wrong:.3f}, differences {held:.3f}", wrong <= WRONG and held >= LOWEST


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    broken = []
    for name, figures, is_within in rows(asked.sets, asked.seed):
        say(f"| {name} | {figures} | {'' if is_within else 'out of bounds'} |")
        broken += [] if is_within else [name]
    sys.exit(f"Out of bounds: {', '.join(broken)}" if broken else 0)


if __name__ == "__main__":
    main()

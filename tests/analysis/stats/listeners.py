"""Raters who answer Human, Unclear or Machine, with known truth: the ATT paper's crowd, as far as it is printed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from analysis.stats.design import Design, Floats

# Equal-weight means of the ATT paper's Table 6.
ATT = (0.40185, 0.37205, 0.26925, 0.21683, 0.13095)
# Latent SDs that give .234 and .108 on the scale of the scores, and about 8 % Unclear.
RATER, SLOPE, GAP = 1.833, 0.597, 0.65


@dataclass(frozen=True, slots=True)
class Crowd:
    """`hls` (systems,) is the expected score of each system over raters and clips."""

    hls: tuple[float, ...] = ATT
    rater: float = RATER
    slope: float = SLOPE
    clip: float = 0.0

    def places(self) -> Floats:
        """Return the latent place of each system, at which its expected score is what it should be."""
        return np.array(_places(self))

    def crossed(self, raters: int, clips: int, each: int, rng: np.random.Generator) -> Design:
        """Every rater rates `each` of the `clips` of every system."""
        systems = len(self.hls)
        chosen = np.argsort(rng.random((raters, systems, clips)), axis=2)[:, :, :each]
        who, which, _ = np.indices(chosen.shape)
        return self.answer(who.ravel(), which.ravel(), (which * clips + chosen).ravel(), rng)

    def skewed(self, ratings: int, raters: int, clips: int, rng: np.random.Generator) -> Design:
        """Some raters give a hundred ratings and some give one, each to a clip at random."""
        activity = rng.gamma(2.0, size=raters)
        who = rng.choice(raters, ratings, p=activity / activity.sum())
        which = rng.integers(0, len(self.hls), ratings)
        return self.answer(who, which, which * clips + rng.integers(0, clips, ratings), rng)

    def answer(self, who: np.ndarray, which: np.ndarray, clip: np.ndarray, rng: np.random.Generator) -> Design:
        people, systems = int(who.max()) + 1, len(self.hls)
        latent = self.places()[which] + rng.normal(0, self.rater, people)[who]
        latent += rng.normal(0, self.slope, (people, systems))[who, which]
        latent += rng.normal(0, self.clip, int(clip.max()) + 1)[clip]
        drawn = rng.random(len(who))
        score = np.where(drawn < expit(latent - GAP), 1.0, np.where(drawn < expit(latent), 0.5, 0.0))
        return Design.of(score, who, which, clip)


@cache
def _places(crowd: Crowd) -> tuple[float, ...]:
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    weights = weights / weights.sum()
    spread = np.sqrt(crowd.rater**2 + crowd.slope**2 + crowd.clip**2)

    def off(place: float, score: float) -> float:
        latent = place + spread * nodes
        return float(weights @ (expit(latent) + expit(latent - GAP)) / 2) - score

    return tuple(float(brentq(off, -20, 20, args=(score,))) for score in crowd.hls)

"""Conversion of latent differences between people and clips to SDs of a task's scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from analysis.stats.design import Floats, NotEstimable
from analysis.stats.planning import LatentSpread, Spread
from core.text.words import say

NODES = 61
FARTHEST = 30.0


@dataclass(frozen=True, slots=True)
class Curve:
    """The score of a clip that passes for human with probability `grades` (g,), in increasing order.

    `mean` and `variance` (g,) are those of one answer's score.
    """

    grades: Floats
    mean: Floats
    variance: Floats

    def expected(self, latent: Floats) -> Floats:
        """Return the expected score at these log-odds of passing for human."""
        scores: Floats = np.interp(expit(latent), self.grades, self.mean)
        return scores

    def spread(self, crowd: LatentSpread, places: tuple[float, float]) -> Spread:
        """Return the SDs of scores of two systems at latent `places`.

        `rater` is the part of raters' differences that is common to both systems; `slope` is the rest of them,
        including the effect of the curve's bend; `residual` is the rest besides raters and clips. By Gauss-Hermite
        quadrature over sums of independent normals.
        """
        nodes, weights = _normal()
        others = np.hypot(crowd.slope, crowd.clip)
        by_rater = [self._given(place + crowd.rater * nodes, others) for place in places]
        means = [float(weights @ each) for each in by_rater]
        common = float(weights @ ((by_rater[0] - means[0]) * (by_rater[1] - means[1])))
        person, clip, total = [], [], []
        for place, mean in zip(places, means, strict=True):
            own = np.hypot(crowd.rater, crowd.slope)
            person.append(float(weights @ (self._given(place + own * nodes, crowd.clip) - mean) ** 2))
            clip.append(float(weights @ (self._given(place + crowd.clip * nodes, own) - mean) ** 2))
            latent = place + crowd.total * nodes
            noise = np.interp(expit(latent), self.grades, self.variance)
            total.append(float(weights @ ((self.expected(latent) - mean) ** 2 + noise)))
        rater, people, clips = max(common, 0.0), float(np.mean(person)), float(np.mean(clip))
        slope, rest = max(people - rater, 0.0), max(float(np.mean(total)) - people - clips, 0.0)
        return Spread(*(float(np.sqrt(each)) for each in (rater, slope, clips, rest)))

    def place(self, crowd: LatentSpread, target: float) -> float:
        """Return the log-odds at which a system's expected score over raters and clips is `target`."""
        nodes, weights = _normal()

        def off(place: float) -> float:
            return float(weights @ self.expected(place + crowd.total * nodes)) - target

        if off(-FARTHEST) * off(FARTHEST) >= 0:
            raise NotEstimable(
                say("No quality of a system gives a mean score of {target} in this task.", target=f"{target:g}")
            )
        return float(brentq(off, -FARTHEST, FARTHEST))

    def _given(self, centre: Floats, sd: float) -> Floats:
        """Return the expected score for a normal with this SD around each `centre` (n,)."""
        nodes, weights = _normal()
        scores: Floats = self.expected(centre[:, None] + sd * nodes[None, :]) @ weights
        return scores


def _normal() -> tuple[Floats, Floats]:
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    return nodes, weights / weights.sum()

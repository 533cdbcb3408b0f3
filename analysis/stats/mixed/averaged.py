"""Expected scores from a latent model: over raters (and clips), not for a typical one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit, stdtrit

from analysis.stats.design import Floats, Mask
from analysis.stats.numeric import jacobian

NODES = 61


@dataclass(frozen=True, slots=True)
class Latent:
    """`vector` = (θ_1 … θ_{K−1}, β, log SDs) with `covariance`; β begins with `systems` − 1 differences of systems."""

    vector: Floats
    covariance: Floats
    cuts: int
    systems: int
    effects: int

    def locate(self, vector: Floats) -> Floats:
        """Return (systems,): β_s − θ_1, with β = 0 for the first system."""
        places: Floats = np.concatenate([[0.0], vector[self.cuts : self.cuts + self.systems - 1]]) - vector[0]
        return places

    @property
    def locations(self) -> Floats:
        return self.locate(self.vector)

    @property
    def location_covariance(self) -> Floats:
        by = jacobian(self.locate, self.vector)
        covariance: Floats = by @ self.covariance @ by.T
        return covariance

    @property
    def thresholds(self) -> Floats:
        cuts: Floats = self.vector[: self.cuts] - self.vector[0]
        return cuts

    @property
    def slopes(self) -> Floats:
        return self.vector[self.cuts + self.systems - 1 : len(self.vector) - self.effects]

    @property
    def slope_errors(self) -> Floats:
        errors: Floats = np.sqrt(np.diag(self.covariance))
        return errors[self.cuts + self.systems - 1 : len(self.vector) - self.effects]


@dataclass(frozen=True, slots=True)
class AveragedScores:
    """Population-averaged scores (systems,), their intervals, and the share of each category (systems, K).

    `covariance` (systems, systems) is that of `mean`, for contrasts; NaN for systems without a location.
    """

    mean: Floats
    low: Floats
    high: Floats
    shares: Floats
    covariance: Floats

    def spread(self, apart: Mask) -> AveragedScores:
        """Return a copy with NaN in the rows of `apart`, the systems that were left out."""
        at = np.flatnonzero(~apart)
        rows = np.full((3, len(apart)), np.nan)
        rows[:, at] = self.mean, self.low, self.high
        shares = np.full((len(apart), self.shares.shape[1]), np.nan)
        shares[at] = self.shares
        covariance = np.full((len(apart), len(apart)), np.nan)
        covariance[np.ix_(at, at)] = self.covariance
        return AveragedScores(rows[0], rows[1], rows[2], shares, covariance)


def average(latent: Latent, levels: Floats, *, level: float, df: float) -> AveragedScores:
    """Return the score expected of a new rater at average covariates; `levels` (K,) are the categories' scores.

    E = Σ_k level_k ∫ P(k | location + z) dN(z; 0, Σ τ²) over all random effects (raters, rater:system, and clips and
    texts if the model has them: then also for a new clip), by Gauss–Hermite quadrature with 61 nodes. The interval is
    the delta method's on the log-odds of the score between the lowest and the highest level, so it stays on the scale;
    its t has `df` degrees of freedom.
    Without clips it holds for these clips only.
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    weights = weights / weights.sum()

    def shares(vector: Floats) -> Floats:
        spread = np.sqrt(np.exp(2 * vector[-latent.effects :]).sum())
        place = (latent.locate(vector) + vector[0])[:, None, None] + spread * nodes[None, :, None]
        above = np.tensordot(expit(place - vector[: latent.cuts]), weights, axes=(1, 0))
        edges = np.hstack([np.ones((latent.systems, 1)), above, np.zeros((latent.systems, 1))])
        between: Floats = edges[:, :-1] - edges[:, 1:]
        return between

    bottom, width = levels[0], levels[-1] - levels[0]

    def odds(vector: Floats) -> Floats:
        log_odds: Floats = logit((shares(vector) @ levels - bottom) / width)
        return log_odds

    by = jacobian(odds, latent.vector)
    covariance = by @ latent.covariance @ by.T
    centre = odds(latent.vector)
    half = stdtrit(df, 0.5 + level / 2) * np.sqrt(np.diag(covariance))
    mean = bottom + width * expit(centre)
    slope = width * expit(centre) * expit(-centre)
    return AveragedScores(
        mean,
        bottom + width * expit(centre - half),
        bottom + width * expit(centre + half),
        shares(latent.vector),
        covariance * np.outer(slope, slope),
    )

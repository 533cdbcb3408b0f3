"""The Bayesian model's prior and posterior; the means are integrated out, so that only log SDs are sampled."""

from __future__ import annotations

from dataclasses import dataclass
from math import lgamma, log, pi

import numpy as np
from scipy import linalg

from analysis.stats.design import Floats
from analysis.stats.mixed.likelihood import Likelihood
from core.text.words import say


@dataclass(frozen=True, slots=True)
class Prior:
    """Independent priors in the units of the scores.

    Each mean of a system ~ Normal(`centre`, `spread`²), each covariate's slope ~ Normal(0, `spread`²), every SD
    (residual and random effects) ~ half-Student-t with `df` degrees of freedom and scale `sd_scale`.
    """

    centre: float
    spread: float
    sd_scale: float
    df: float = 4.0

    @classmethod
    def of_scale(cls, low: float, high: float) -> Prior:
        """Return a weak prior for scores between `low` and `high`: nearly flat for means on the scale."""
        width = high - low
        return cls(centre=(low + high) / 2, spread=2.5 * width, sd_scale=width / 2)

    def log_sd(self, logs: Floats) -> float:
        """Return the log density of log SDs (k,), Jacobian included."""
        ratio = np.exp(2 * logs) / self.sd_scale**2
        constant = log(2 / self.sd_scale) + lgamma((self.df + 1) / 2) - lgamma(self.df / 2) - 0.5 * log(self.df * pi)
        return float((logs + constant - (self.df + 1) / 2 * np.log1p(ratio / self.df)).sum())

    def in_words(self, factor: float = 1) -> str:
        """Describe the priors; `factor` is 100 for scores that pages show in percent, otherwise 1."""
        values = {
            "centre": f"{factor * self.centre:g}",
            "spread": f"{factor * self.spread:g}",
            "df": f"{self.df:g}",
            "scale": f"{factor * self.sd_scale:g}",
        }
        if factor == 1:
            return say(
                "mean of a system ~ Normal({centre}, {spread}); every SD ~ half-Student-t({df}, 0, {scale})", **values
            )
        return say(
            "in percent, mean of a system ~ Normal({centre}, {spread}); every SD ~ half-Student-t({df}, 0, {scale})",
            **values,
        )


@dataclass(frozen=True, slots=True)
class PosteriorPoint:
    """Log SDs `logs` (terms + 1,), residual last; their log density; and the Normal of the means given them.

    `centre` is (p,), `root` (p, p) with covariance root · root'.
    """

    logs: Floats
    density: float
    centre: Floats
    root: Floats

    def draw(self, rng: np.random.Generator) -> Floats:
        """Draw the means (p,)."""
        drawn: Floats = self.centre + self.root @ rng.standard_normal(len(self.centre))
        return drawn


@dataclass(frozen=True, slots=True)
class LogPosterior:
    """log p(log SDs | y) for a likelihood and a prior; `systems` of the coefficients are means, the rest slopes."""

    likelihood: Likelihood
    prior: Prior
    systems: int

    def at(self, logs: Floats) -> PosteriorPoint:
        """Return the density at log SDs (rater …, residual), with β ~ Normal(prior) integrated out exactly."""
        residual = float(np.exp(2 * logs[-1]))
        size = len(self.likelihood.start)
        # Relative to the least-squares estimate, which keeps the sums small.
        centre = np.where(np.arange(size) < self.systems, self.prior.centre, 0.0) - self.likelihood.start
        weight = self.prior.spread**-2
        try:
            moments = self.likelihood.at(np.exp(2 * (logs[:-1] - logs[-1])))
            precision = moments.cross / residual
            precision.flat[:: size + 1] += weight
            factor = np.linalg.cholesky(precision)
        except np.linalg.LinAlgError:
            # The ratios are so extreme that the precision matrix is only rounding error.
            return PosteriorPoint(logs, float("-inf"), self.likelihood.start, np.zeros((size, size)))
        root = np.asarray(linalg.lapack.dtrtri(factor, lower=1)[0], dtype=np.float64).T
        half = (moments.side / residual + weight * centre) @ root
        density = -0.5 * (
            self.likelihood.rows * log(2 * pi * residual)
            + moments.logdet
            + moments.square / residual
            + 2 * float(np.log(np.diag(factor)).sum())
            - size * log(weight)
            + weight * float(centre @ centre)
            - float(half @ half)
        )
        return PosteriorPoint(logs, density + self.prior.log_sd(logs), self.likelihood.start + root @ half, root)

"""What the Bayesian model assumes before it sees a rating; printed beside its results."""

from __future__ import annotations

from dataclasses import dataclass
from math import lgamma, log, pi

import numpy as np

from analysis.stats.design import Floats
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
        """Return a weak prior for scores between `low` and `high`: it hardly favours any mean on the scale."""
        width = high - low
        return cls(centre=(low + high) / 2, spread=2.5 * width, sd_scale=width / 2)

    def log_sd(self, logs: Floats) -> float:
        """Return the log density of log SDs (k,), Jacobian included."""
        ratio = np.exp(2 * logs) / self.sd_scale**2
        constant = log(2 / self.sd_scale) + lgamma((self.df + 1) / 2) - lgamma(self.df / 2) - 0.5 * log(self.df * pi)
        return float((logs + constant - (self.df + 1) / 2 * np.log1p(ratio / self.df)).sum())

    def __str__(self) -> str:
        return say(
            "mean of a system ~ Normal({centre}, {spread}); every SD ~ half-Student-t({df}, 0, {scale})",
            centre=f"{self.centre:g}",
            spread=f"{self.spread:g}",
            df=f"{self.df:g}",
            scale=f"{self.sd_scale:g}",
        )

"""The variance of a choice model's coefficients by raters and texts (rules D1 and D14)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import inv
from scipy.special import expit
from scipy.stats import t

from analysis.stats.design import Codes, Floats, pairs
from analysis.stats.preferences.choices import Fit
from analysis.stats.twoway import Estimate, combined


@dataclass(frozen=True, slots=True)
class Unbounded:
    """An estimate on an endless scale with its interval by t; a `Tested` difference of `contrasts`."""

    estimate: Estimate

    def ends(self, alpha: float) -> tuple[float, float]:
        reach = float(t.isf(alpha / 2, self.estimate.df)) * self.estimate.error
        return self.estimate.value - reach, self.estimate.value + reach

    @property
    def t(self) -> float:
        value, error = abs(self.estimate.value), self.estimate.error
        return value / error if error > 0 else 0.0 if value < 1e-12 else np.inf

    @property
    def p(self) -> float:
        return 2 * float(t.sf(self.t, self.estimate.df))

    def probabilities(self, alpha: float) -> tuple[float, float, float]:
        """Return log-odds as a probability, with its interval."""
        low, high = self.ends(alpha)
        return float(expit(self.estimate.value)), float(expit(low)), float(expit(high))


@dataclass(frozen=True, slots=True)
class _Factor:
    """Influences (clusters, p) added by cluster, and the information (clusters, p, p) of each cluster's choices."""

    sums: Floats
    information: Floats

    @classmethod
    def of(cls, fit: Fit, influence: Floats, cluster: Codes) -> _Factor:
        count = int(cluster.max()) + 1
        rows = cluster[fit.choices.answer][fit.choices.choice]
        at = _indicator(rows, count)
        information = np.stack([at @ (column[:, None] * fit.pieces) for column in fit.pieces.T], axis=1)
        return cls(_sums(influence, cluster), information)

    def variance(self, weights: Floats) -> float:
        return _variance(self.sums, weights)

    def degrees(self, weights: Floats, inverse: Floats) -> float:
        """Return Bell–McCaffrey's degrees of freedom: those of Σ U² if the choices were independent.

        The covariance of the sums U is then M = diag(w) − Z J⁻¹ Z', and f = (tr M)² / tr M² = G − 1 if balanced.
        """
        turned = inverse @ weights
        z = self.information @ turned
        own = z @ turned
        crossed = inverse @ (z.T @ z)
        trace = float(own.sum() - np.trace(crossed))
        square = float((own**2).sum() - 2 * own @ np.einsum("gi,ij,gj->g", z, inverse, z) + np.trace(crossed @ crossed))
        return trace**2 / square if square > 0 else 1.0


@dataclass(frozen=True, slots=True)
class Clustered:
    """Coefficients (p,) with their influences by raters and, where known, texts.

    The variance by clusters of one kind is C / (C − 1) Σ (c'U)², with U the sum of J⁻¹s over the answers of a cluster
    and C the number of clusters.
    """

    coefficients: Floats
    inverse: Floats
    factors: tuple[_Factor, ...]
    by_both: Floats | None

    @classmethod
    def of(cls, fit: Fit, rater: Codes, text: Codes | None) -> Clustered:
        """Cluster answers by `rater` and `text`, both (answers,), codes without gaps; two clusters at least."""
        inverse = inv(fit.information)
        influence = fit.scores @ inverse
        kinds = (rater,) if text is None else (rater, text)
        by_both = None if text is None else _sums(influence, pairs(rater, text))
        return cls(fit.coefficients, inverse, tuple(_Factor.of(fit, influence, kind) for kind in kinds), by_both)

    def estimate(self, weights: Floats) -> Estimate:
        """Return Σ `weights` (p,) · coefficients with the largest of V_R + V_T − V_RT, V_R and V_T."""
        parts = [factor.variance(weights) for factor in self.factors]
        crossed = 0.0 if self.by_both is None else _variance(self.by_both, weights)
        degrees = [factor.degrees(weights, self.inverse) for factor in self.factors]
        return combined(float(weights @ self.coefficients), parts, crossed, degrees)


def _variance(sums: Floats, weights: Floats) -> float:
    count = len(sums)
    return float(((sums @ weights) ** 2).sum()) * count / (count - 1)


def _sums(influence: Floats, cluster: Codes) -> Floats:
    sums: Floats = _indicator(cluster, int(cluster.max()) + 1) @ influence
    return sums


def _indicator(cluster: Codes, count: int) -> Any:
    rows = np.arange(len(cluster))
    return sparse.csr_array((np.ones(len(cluster)), (cluster, rows)), shape=(count, len(cluster)))

"""Means of groups, and the variance of any contrast of them by raters and texts (rule D1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from analysis.stats import refusals
from analysis.stats.design import Codes, Design, Floats, count_by, pairs
from analysis.stats.refusals import THESE_CLIPS, THESE_TEXTS, Refusal

TWO_WAY, ONE_WAY = "two-way", "larger one-way"
# Sums of identical answers differ from 0 only by rounding.
ROUNDING = 1e-18


@dataclass(frozen=True, slots=True)
class Estimate:
    """Σ `weights` · mean with its standard error, both in units of the score, and Satterthwaite's `df` ≥ 1.

    `method` is "two-way", or "larger one-way" if the variance by only raters or only texts is the largest.
    """

    value: float
    error: float
    df: float
    method: str


def combined(value: float, parts: list[float], crossed: float, degrees: list[float]) -> Estimate:
    """Return an estimate with variance max(V_R + V_T − V_RT, V_R, V_T), and Satterthwaite's degrees of freedom.

    `parts` has V_R and, if texts count, V_T, `degrees` the degrees of freedom of each; `crossed` is V_RT (0 without
    texts).
    """
    two_way = sum(parts) - crossed
    variance = max(two_way, *parts)
    method = TWO_WAY if len(parts) > 1 and two_way == variance else ONE_WAY
    if variance <= ROUNDING:
        return Estimate(value, 0.0, max(min(degrees), 1.0), method)
    df = variance**2 / sum(part**2 / own for part, own in zip(parts, degrees, strict=True))
    return Estimate(value, float(np.sqrt(variance)), max(df, 1.0), method)


@dataclass(frozen=True, slots=True)
class Clusters:
    """Ratings of g groups by clusters of one kind: raters or texts.

    `shares` (clusters, g), sparse: a cluster's share of a group's ratings. For a contrast c, the variance by these
    clusters is c' `variance` c, and with w = c² / n its degrees of freedom are (Σ w)² / w' `freedom` w.
    """

    shares: Any
    variance: Floats
    freedom: Floats

    @classmethod
    def of(cls, cluster: Codes, group: Codes, influence: Floats, count: Codes) -> Clusters:
        """Delete one cluster at a time (CR3), with the degrees of freedom of independent answers (Bell–McCaffrey).

        `influence` (n,) is each rating's influence on the mean of its `group` (n,), `count` (g,) the ratings of each
        group.
        """
        size = (int(cluster.max()) + 1, len(count))
        at = (cluster, group)
        sums = sparse.coo_array((influence, at), shape=size).tocsr()
        shares = sparse.coo_array((np.ones(len(cluster)), at), shape=size).tocsr()
        shares.data /= count[shares.indices]
        # A group with a single cluster has no variance by it, and no interval.
        rest = np.where(shares.data < 1, 1 - shares.data, np.inf)
        deleted, leverage, root = sums.copy(), shares.copy(), shares.copy()
        deleted.data = sums.data / rest
        leverage.data = shares.data**2 / rest
        root.data = shares.data / np.sqrt(rest)
        crossed, own, doubled = ((each.T @ each).toarray() for each in (root, shares, leverage))
        return cls(shares, (deleted.T @ deleted).toarray(), own + crossed**2 - doubled)

    def of_groups(self, weights: Floats) -> Floats:
        """Return each cluster's share in groups weighted by `weights` (g,), not all zero."""
        share: Floats = self.shares @ (np.abs(weights) / np.abs(weights).sum())
        return share

    def degrees(self, weights: Floats, count: Codes) -> float:
        """Return Bell–McCaffrey's degrees of freedom of a contrast (g,)."""
        scale = weights**2 / count
        return float(scale.sum() ** 2 / (scale @ self.freedom @ scale))


@dataclass(frozen=True, slots=True)
class Means:
    """Means (g,) of groups in units of the score, the clusters of their ratings, and the numbers of ratings.

    `by_text` is None if only raters count, for the reason in `scope`: clips are unknown, or systems share too few
    texts. `by_both` (g, g) is the variance by rater × text; `rater_mean` (g,) gives raters equal weight; `clips` (g,)
    is 0 if unknown.
    """

    mean: Floats
    ratings: Codes
    by_rater: Clusters
    by_text: Clusters | None
    by_both: Floats
    rater_mean: Floats
    clips: Codes
    scope: str = ""

    @property
    def clusters(self) -> tuple[Clusters, ...]:
        return (self.by_rater,) if self.by_text is None else (self.by_rater, self.by_text)

    def estimate(self, weights: Floats) -> Estimate:
        """Return a contrast with variance max(V_R + V_T − V_RT, V_R, V_T) (MacKinnon, Nielsen and Webb 2023)."""
        parts = [float(weights @ each.variance @ weights) for each in self.clusters]
        crossed = float(weights @ self.by_both @ weights) if self.by_text else 0.0
        degrees = [each.degrees(weights, self.ratings) for each in self.clusters]
        return combined(float(weights @ self.mean), parts, crossed, degrees)

    def effective(self, weights: Floats) -> float:
        """Return the effective n of groups: the smaller of 1 / Σ h² over raters and over texts (rule D4)."""
        return min(float(1 / (share @ share)) for share in (each.of_groups(weights) for each in self.clusters))

    def counts(self, weights: Floats) -> tuple[int, int]:
        """Return the number of raters, and of texts (0: not counted), of the groups together."""
        raters, texts = (
            0 if each is None else int(np.count_nonzero(each.of_groups(weights)))
            for each in (self.by_rater, self.by_text)
        )
        return raters, texts

    def largest(self, weights: Floats) -> tuple[float, ...]:
        """Return the largest share of ratings from one rater and, if texts count, of one text."""
        return tuple(float(each.of_groups(weights).max()) for each in self.clusters)

    def refusal(self, weights: Floats) -> Refusal | None:
        """Return why these groups may have no interval (rules D1 and D4); None if they may."""
        raters, texts = self.counts(weights)
        return refusals.too_few(raters, texts if self.by_text else None) or refusals.of_shares(*self.largest(weights))


def means(design: Design, group: Codes | None = None) -> Means:
    """Return the mean score of each `group` (n,), codes 0 … g − 1 (default: systems), with clusters of its ratings.

    Linear in the number of ratings.
    """
    codes = design.system if group is None else group
    size = int(codes.max()) + 1
    count = np.bincount(codes, minlength=size)
    mean = np.bincount(codes, design.score, minlength=size) / count
    influence = (design.score - mean[codes]) / count[codes]
    by_rater = Clusters.of(design.rater, codes, influence, count)
    clips = np.zeros(size, dtype=np.int64) if design.clip is None else count_by(codes, design.clip)
    rater_mean = _rater_mean(design, codes, size)
    text = design.pieces
    if text is None:
        scope = THESE_TEXTS if design.has_few_texts else THESE_CLIPS
        return Means(mean, count, by_rater, None, np.zeros((size, size)), rater_mean, clips, scope)
    by_text = Clusters.of(text, codes, influence, count)
    by_both = Clusters.of(pairs(design.rater, text), codes, influence, count).variance
    return Means(mean, count, by_rater, by_text, by_both, rater_mean, clips)


def _rater_mean(design: Design, group: Codes, size: int) -> Floats:
    """Return (g,) the mean over raters of each rater's own mean."""
    cell = pairs(design.rater, group)
    own = np.bincount(cell, design.score) / np.bincount(cell)
    of = np.zeros(len(own), dtype=np.int64)
    of[cell] = group
    result: Floats = np.bincount(of, own, minlength=size) / np.bincount(of, minlength=size)
    return result

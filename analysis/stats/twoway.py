"""Means of groups whose uncertainty counts raters and clips (rule D1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import expit, logit
from scipy.stats import norm, t

from analysis.stats.design import Codes, Design, Floats, distinct, pairs
from analysis.stats.figures import Comparison
from analysis.stats.refusals import THESE_CLIPS, THESE_TEXTS, Refusal, too_few
from analysis.stats.scores import wilson
from core.text.words import joined, say

TWO_WAY, ONE_WAY, LOG_ODDS, WILSON, NONE = "two-way", "larger one-way", "log-odds", "wilson", ""
# A mean nearer to an end of the scale than this many raters' worth has a skewed distribution.
NEAR = 5.0
FALLBACK = say("Raters and clips together gave no positive variance; the larger of the two is used.")
ALIKE = say("All answers are alike: Wilson's interval, n = raters.")
AT_END = say("At an end of the scale: Wilson's interval, n = raters.")
NEAR_END = say("Near an end of the scale: taken on log-odds.")


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its interval, in the units of the scores; `low` and `high` are None where `note` says why.

    `method` is "two-way", "larger one-way" (the two-way variance was not positive), "log-odds" (near an end of the
    scale), "wilson" (at an end) or "". `error` is the standard error, `df` its degrees of freedom.
    """

    mean: float
    low: float | None
    high: float | None
    method: str
    error: float
    df: int
    ratings: int
    raters: int
    pieces: int
    note: str


@dataclass(frozen=True, slots=True)
class Means:
    """Group means (g,) with covariance (g, g) by raters, by pieces (clips or texts), and by rater × piece.

    `raters`, `pieces`, `clips` and `ratings` (g,) count what each group has. `pieces` is 0 where only raters count, as
    `scope` says: clips are not known, or systems share too few texts.
    """

    mean: Floats
    by_rater: Floats
    by_piece: Floats
    by_both: Floats
    ratings: Codes
    raters: Codes
    pieces: Codes
    clips: Codes
    scope: str = ""

    @property
    def df(self) -> Codes:
        """Return (g,): the smaller number of clusters, less one."""
        clusters = np.where(self.pieces > 0, np.minimum(self.raters, self.pieces), self.raters)
        df: Codes = np.maximum(clusters - 1, 1)
        return df

    def variance(self, weights: Floats) -> tuple[float, str]:
        """Return the variance of Σ `weights` · mean and its method: that of raters + pieces − both where positive."""
        rater, piece, both = (float(weights @ by @ weights) for by in (self.by_rater, self.by_piece, self.by_both))
        if not self.pieces.any():
            return rater, ONE_WAY
        total = rater + piece - both
        return (total, TWO_WAY) if total > 1e-15 else (max(rater, piece), ONE_WAY)

    def refusal(self, group: int) -> Refusal | None:
        """Return why a group may have no interval."""
        clips = int(self.pieces[group] or self.clips[group])
        return too_few(int(self.raters[group]), clips or None)

    @property
    def covariance(self) -> Floats:
        """Return (g, g) for joint draws: the two-way matrix, its negative eigenvalues cut, variances as `variance`."""
        values, vectors = np.linalg.eigh(self.by_rater + self.by_piece - self.by_both)
        fixed = (vectors * np.maximum(values, 0)) @ vectors.T
        wanted = np.sqrt([self.variance(row)[0] for row in np.eye(len(self.mean))])
        have = np.sqrt(np.diag(fixed))
        scale = np.divide(wanted, have, out=np.zeros_like(wanted), where=have > 0)
        result: Floats = fixed * np.outer(scale, scale)
        result.flat[:: len(result) + 1] = wanted**2
        return result


def means(design: Design, group: Codes | None = None) -> Means:
    """Return the mean score of each `group` (n,), codes 0 … g − 1 (default: systems), with clustered covariances.

    Cameron, Gelbach and Miller (2011), eq. 2.11: V = V_rater + V_piece − V_rater×piece, each with its own C / (C − 1).
    Linear in the number of ratings.
    """
    codes = design.system if group is None else group
    size = int(codes.max()) + 1
    count = np.bincount(codes, minlength=size)
    mean = np.bincount(codes, design.score, minlength=size) / count
    influence = sparse.csr_array(
        ((design.score - mean[codes]) / count[codes], (np.arange(len(codes)), codes)), shape=(len(codes), size)
    )
    by_rater, raters = _clustered(influence, design.rater, codes)
    none = np.zeros(size, dtype=np.int64)
    clips = none if design.clip is None else _clusters(design.clip, codes)
    piece = design.pieces
    if piece is None:
        nothing, scope = np.zeros((size, size)), THESE_TEXTS if design.has_few_texts else THESE_CLIPS
        return Means(mean, by_rater, nothing, nothing, count, raters, none, clips, scope)
    by_piece, pieces = _clustered(influence, piece, codes)
    by_both, _ = _clustered(influence, pairs(design.rater, piece), codes)
    return Means(mean, by_rater, by_piece, by_both, count, raters, pieces, clips)


def intervals(group_means: Means, *, low: float, high: float, level: float = 0.95) -> tuple[Interval, ...]:
    """Return each group's interval by t on min(clusters) − 1 degrees of freedom, for scores between `low` and `high`.

    Near an end of the scale, where that covers too rarely, the same is done on the log-odds of the mean between both
    ends (Korn and Graubard 1998). Where it would have no width or leave the scale it is Wilson's with n = raters
    (rule D4). Below 10 raters or 5 clips there is none.
    """
    return tuple(_interval(group_means, index, low, high, level) for index in range(len(group_means.mean)))


def _interval(group_means: Means, index: int, low: float, high: float, level: float) -> Interval:
    weights = np.eye(len(group_means.mean))[index]
    variance, method = group_means.variance(weights)
    mean, raters, pieces = (
        float(group_means.mean[index]),
        int(group_means.raters[index]),
        int(group_means.pieces[index]),
    )
    error, df = float(np.sqrt(max(variance, 0.0))), int(group_means.df[index])
    counts = (error, df, int(group_means.ratings[index]), raters, pieces)
    if few := group_means.refusal(index):
        return Interval(mean, None, None, NONE, *counts, str(few))
    quantile = float(t.ppf(0.5 + level / 2, df))
    half, share, width = quantile * error, (mean - low) / (high - low), high - low
    if half < 1e-9 or mean - half < low or mean + half > high:
        bottom, top = wilson(share, raters, level=level)
        why = ALIKE if 0 < share < 1 and half < 1e-9 else AT_END
        note = _joined(group_means.scope, why)
        return Interval(mean, low + bottom * width, low + top * width, WILSON, *counts, note)
    if min(share, 1 - share) * raters < NEAR:
        reach = half / width / (share * (1 - share))
        bottom, top = (low + width * float(expit(logit(share) + side * reach)) for side in (-1, 1))
        note = _joined(group_means.scope, NEAR_END)
        return Interval(mean, bottom, top, LOG_ODDS, *counts, note)
    note = group_means.scope or ("" if method == TWO_WAY else FALLBACK)
    return Interval(mean, mean - half, mean + half, method, *counts, note)


def _joined(*sentences: str) -> str:
    return joined(*filter(None, sentences))


def comparisons(scores: Floats, rater: Codes, *, level: float = 0.95) -> tuple[Comparison, ...]:
    """Return what others print for the mean of `scores` (n,), n ≥ 2; too narrow, since answers are not independent.

    "naive": mean ∓ z · s / √n with s² over n. "paper": mean ∓ t(n − 1) · s / √n with s² over n − 1, which reproduces
    the HFR paper's Table 1. "raters only": clustered by raters (n,), t on raters − 1; given from two raters on.
    """
    n, mean, spread = len(scores), float(scores.mean()), float(scores.std(ddof=1))
    naive = float(norm.ppf(0.5 + level / 2)) * float(scores.std()) / np.sqrt(n)
    paper = float(t.ppf(0.5 + level / 2, n - 1)) * spread / np.sqrt(n)
    half_widths = [("naive", naive), ("paper", paper)]
    sums = np.bincount(rater, scores - mean)
    people = int((np.bincount(rater) > 0).sum())
    if people > 1:
        error = np.sqrt(float(sums @ sums) * people / (people - 1)) / n
        half_widths.append(("raters only", float(t.ppf(0.5 + level / 2, people - 1)) * error))
    return tuple(Comparison(label, mean - float(half), mean + float(half)) for label, half in half_widths)


def _clustered(influence: Any, cluster: Codes, group: Codes) -> tuple[Floats, Codes]:
    """Return Σ over clusters of the outer product of their sums, and how many clusters each group meets."""
    rows = len(cluster)
    indicator = sparse.csr_array((np.ones(rows), (cluster, np.arange(rows))), shape=(int(cluster.max()) + 1, rows))
    sums = indicator @ influence
    clusters = _clusters(cluster, group)
    # A single cluster has no variance to correct: its sum is zero anyway.
    scale = np.sqrt(clusters / np.maximum(clusters - 1, 1))
    return (sums.T @ sums).toarray() * np.outer(scale, scale), clusters


def _clusters(cluster: Codes, group: Codes) -> Codes:
    """Return how many clusters each group meets."""
    levels = int(cluster.max()) + 1
    return np.bincount(distinct(group * levels + cluster) // levels)

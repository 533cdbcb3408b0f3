"""Intervals of means and differences that also hold near the ends of a scale (rules D1 and D4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit, stdtr, stdtrit
from scipy.stats import norm, t

from analysis.stats import refusals
from analysis.stats.design import Codes, Design, Floats, coded, count_by
from analysis.stats.figures import Comparison
from analysis.stats.scores import wilson
from analysis.stats.twoway import Estimate, Means, means
from core.text.words import joined, say

LOG_ODDS, WILSON, NONE = "log-odds", "wilson", ""
# A mean this close to an end of the scale (as a share, and in effective answers) has a skewed distribution.
EDGE, NEAR = 0.15, 5.0
# The highest correlation assumed between two systems' intervals: at 1 a difference could have zero width.
MOST_CORRELATED = 0.95
# If one rater gave more than this share of a system's ratings, the mean over raters is also shown (rule D12).
ONE_RATER = 1 / 3
SMALLEST_ALPHA = 1e-14
ALIKE = say("All answers are alike: Wilson’s interval, with as many answers as there are independent ones.")
AT_END = say("At an end of the scale: Wilson’s interval, with as many answers as there are independent ones.")
NEAR_END = say("Near an end of the scale: taken on log-odds.")


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its interval, in the units of the scores; `low` and `high` are None for the reason in `note`.

    `method` is "two-way", "larger one-way" (the variance by only raters or only texts is larger), "log-odds" (near an
    end of the scale), "wilson" (at an end) or "". `error` is the standard error, `df` its degrees of freedom.
    `rater_share` is the largest share of the ratings from one rater, `rater_mean` the mean with equal weights for
    raters.
    """

    mean: float
    low: float | None
    high: float | None
    method: str
    error: float
    df: float
    ratings: int
    raters: int
    pieces: int
    note: str
    rater_share: float
    rater_mean: float


@dataclass(frozen=True, slots=True)
class Place:
    """An estimate on a scale from `low` to `high`, based on an effective number `n` of answers."""

    estimate: Estimate
    n: float
    low: float
    high: float

    @property
    def share(self) -> float:
        """The position on the scale, from 0 to 1; ends are exact despite rounding."""
        share = (self.estimate.value - self.low) / (self.high - self.low)
        return float(np.round(share)) if abs(share - round(share)) < 1e-12 else share

    @property
    def is_near_end(self) -> bool:
        """True at an end of the scale, or so close that intervals by t cover too rarely."""
        tail = min(self.share, 1 - self.share)
        return tail < EDGE and tail * self.n < NEAR

    @property
    def method(self) -> str:
        """ "wilson" at an end or without variance, "log-odds" near an end or if t would leave the scale, else by t."""
        if self.share in (0.0, 1.0) or self._reach(0.05) < 1e-9:
            return WILSON
        is_outside = self._reach(0.05) > min(self.share, 1 - self.share)
        return LOG_ODDS if self.is_near_end or is_outside else self.estimate.method

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return the 1 − `alpha` interval: never of zero width, never outside the scale.

        Wilson's (1927) with n at an end, t on log-odds near one (Korn and Graubard 1998), otherwise t.
        """
        share, reach, method = self.share, self._reach(alpha), self.method
        if method == WILSON:
            bottom, top = wilson(share, self.n, level=1 - alpha)
        elif method == LOG_ODDS:
            odds = reach / (share * (1 - share))
            bottom, top = float(expit(logit(share) - odds)), float(expit(logit(share) + odds))
        else:
            bottom, top = max(share - reach, 0.0), min(share + reach, 1.0)
        width = self.high - self.low
        # Rounding may put the mean slightly outside the interval.
        return self.low + min(bottom, share) * width, self.low + max(top, share) * width

    def _reach(self, alpha: float) -> float:
        return -float(stdtrit(self.estimate.df, alpha / 2)) * self.estimate.error / (self.high - self.low)


@dataclass(frozen=True, slots=True)
class Difference:
    """One mean minus another, in the units of the scores.

    `first` and `second` are their places on the scale. If either is near an end, or the difference has no variance of
    its own, its interval comes from theirs (MOVER, Zou and Donner 2008) with `correlation`.
    """

    estimate: Estimate
    first: Place
    second: Place
    correlation: float

    @property
    def is_from_parts(self) -> bool:
        return self.first.is_near_end or self.second.is_near_end or self.estimate.error <= 0

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return the 1 − `alpha` interval, within the largest differences on the scale."""
        value, width = self.estimate.value, self.first.high - self.first.low
        if not self.is_from_parts:
            reach = -float(stdtrit(self.estimate.df, alpha / 2)) * self.estimate.error
            return max(value - reach, -width), min(value + reach, width)
        (low_1, high_1), (low_2, high_2) = self.first.ends(alpha), self.second.ends(alpha)
        mean_1, mean_2 = self.first.estimate.value, self.second.estimate.value
        below = _together(mean_1 - low_1, high_2 - mean_2, self.correlation)
        above = _together(high_1 - mean_1, mean_2 - low_2, self.correlation)
        return value - below, value + above

    @property
    def t(self) -> float:
        """|t|: the number of standard errors at which the interval touches 0."""
        return abs(self.reach(0.0))

    def reach(self, bound: float) -> float:
        """Return t of the difference from `bound`: the standard errors at which the interval touches it.

        Positive if the difference is above `bound`.
        """
        value, error, df = self.estimate.value - bound, self.estimate.error, self.estimate.df
        if abs(value) < 1e-12:
            return 0.0
        if not self.is_from_parts:
            return value / error

        def beyond(reach: float) -> float:
            low, high = self.ends(2 * float(stdtr(df, -reach)))
            return low - bound if value > 0 else bound - high

        most = -float(stdtrit(df, SMALLEST_ALPHA))
        reach = most if beyond(most) > 0 else float(brentq(beyond, 0.0, most, xtol=1e-9))
        return reach if value > 0 else -reach


def _together(first: float, second: float, correlation: float) -> float:
    return float(np.sqrt(max(first**2 + second**2 - 2 * correlation * first * second, 0.0)))


def place(group_means: Means, weights: Floats, *, low: float, high: float) -> Place:
    """Return the mean of groups, weighted by `weights` (g,) ≥ 0 with sum 1, on its scale."""
    return Place(group_means.estimate(weights), group_means.effective(weights), low, high)


def difference(group_means: Means, weights: Floats, *, low: float, high: float) -> Difference:
    """Return a contrast (g,): positive weights add to 1, negative ones to −1; scores are from `low` to `high`."""
    first, second = (place(group_means, np.maximum(side * weights, 0), low=low, high=high) for side in (1, -1))
    return _between(group_means.estimate(weights), first, second)


def differences(group_means: Means, at: Sequence[tuple[int, int]], *, low: float, high: float) -> list[Difference]:
    """Return the differences of pairs of groups `at`; each group's own place is computed once."""
    size = len(group_means.mean)
    places = [place(group_means, row, low=low, high=high) for row in np.eye(size)]
    return [
        _between(group_means.estimate(pair(size, first, second)), places[first], places[second]) for first, second in at
    ]


def _between(whole: Estimate, first: Place, second: Place) -> Difference:
    one, other = first.estimate.error, second.estimate.error
    correlation = 0.0
    if one > 0 and other > 0:
        shared = (one**2 + other**2 - whole.error**2) / (2 * one * other)
        correlation = min(max(shared, 0.0), MOST_CORRELATED)
    return Difference(whole, first, second, correlation)


def pair(size: int, first: int, second: int) -> Floats:
    """Return the weights (size,) of `first` − `second`."""
    weights = np.zeros(size)
    weights[first], weights[second] = 1.0, -1.0
    return weights


def intervals(group_means: Means, *, low: float, high: float, level: float = 0.95) -> tuple[Interval, ...]:
    """Return each group's interval for scores between `low` and `high`; none below 5 raters or 5 texts."""
    return tuple(interval(group_means, row, low=low, high=high, level=level) for row in np.eye(len(group_means.mean)))


def of_parts(
    design: Design, group: Codes, part: Codes | None, *, low: float, high: float, level: float = 0.95
) -> tuple[Interval, ...]:
    """Return the interval of each `group` (n,), which lies in one `part` (n,) of the material, such as a box.

    Where the systems share fewer than 5 texts of a part, its intervals are for these texts only (rule D12), however
    many texts the design has. `part` is None if groups are not of parts.
    """
    every = list(intervals(means(design, group), low=low, high=high, level=level))
    if part is None or design.text is None or design.has_few_texts:
        return tuple(every)
    for few in np.flatnonzero(count_by(part, design.text) < refusals.MIN_TEXTS):
        rows = design.where(part == few)
        if rows.has_few_texts:
            groups, codes = coded(group[part == few])
            own = intervals(means(rows, codes), low=low, high=high, level=level)
            for place_of_group, result in zip(groups, own, strict=True):
                every[place_of_group] = result
    return tuple(every)


def interval(group_means: Means, weights: Floats, *, low: float, high: float, level: float = 0.95) -> Interval:
    """Return the interval of groups' mean, weighted by `weights` (g,) ≥ 0 with sum 1."""
    here = place(group_means, weights, low=low, high=high)
    estimate, (raters, texts) = here.estimate, group_means.counts(weights)
    rater_share, rater_mean = group_means.largest(weights)[0], float(weights @ group_means.rater_mean)
    refusal = group_means.refusal(weights)
    ends, method = (None, NONE) if refusal else (here.ends(1 - level), here.method)
    near = {WILSON: AT_END if here.share in (0.0, 1.0) else ALIKE, LOG_ODDS: NEAR_END}.get(method, "")
    return Interval(
        mean=estimate.value,
        # Rounding may put the mean slightly outside the interval.
        low=min(ends[0], estimate.value) if ends else None,
        high=max(ends[1], estimate.value) if ends else None,
        method=method,
        error=estimate.error,
        df=estimate.df,
        ratings=int(group_means.ratings[weights > 0].sum()),
        raters=raters,
        pieces=texts,
        note=str(refusal) if refusal else joined(group_means.scope, near, refusals.few_raters(raters)),
        rater_share=rater_share,
        rater_mean=rater_mean,
    )


def measured(of: Interval) -> dict[str, Any]:
    """Return an interval's fields; the mean over raters only if one rater gave over a third (rule D12)."""
    fields = asdict(of)
    return fields if of.rater_share > ONE_RATER else fields | {"rater_share": None, "rater_mean": None}


def comparisons(scores: Floats, rater: Codes, *, level: float = 0.95) -> tuple[Comparison, ...]:
    """Return the usual intervals for the mean of `scores` (n,), n ≥ 2; too narrow, since answers are not independent.

    "naive": mean ∓ z · s / √n with s² over n. "paper": mean ∓ t(n − 1) · s / √n with s² over n − 1, which reproduces
    the HFR paper's Table 1. "raters only": clustered by raters (n,), t on raters − 1; needs two raters.
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

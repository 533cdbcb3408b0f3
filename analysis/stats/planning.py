"""How many raters and clips a study needs: in closed form from variances, and by simulated studies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil, sqrt

import numpy as np
from scipy.special import expit
from scipy.stats import nct, studentized_range, t

from analysis.stats.design import Design, Floats, NotEstimable
from analysis.stats.refusals import MIN_RATERS
from analysis.stats.twoway import means
from core.text.words import say

MOST = 100_000
# SDs beyond the limit at which a difference is found for sure.
CERTAIN = 8.0


@dataclass(frozen=True, slots=True)
class Plan:
    """How many `raters` there are, how many `clips` a system has, and how many of these each rater rates."""

    raters: int
    clips: int
    per_rater: int


@dataclass(frozen=True, slots=True)
class Spread:
    """SDs in the units of the scores, as `reml.fit` with rater, rater:system and clip gives them."""

    rater: float
    slope: float
    clip: float
    residual: float

    def error_of_mean(self, plan: Plan) -> float:
        """Return the standard error of a system's mean: raters, their liking of it, clips and chance."""
        between = (self.rater**2 + self.slope**2) / plan.raters
        return sqrt(between + self.clip**2 / plan.clips + self.residual**2 / (plan.raters * plan.per_rater))

    def error_of_difference(self, plan: Plan) -> float:
        """Return that of the difference of two systems that the same raters heard: their own level cancels."""
        return sqrt(2) * replace(self, rater=0.0).error_of_mean(plan)


@dataclass(frozen=True, slots=True)
class Power:
    """The share of studies that find the difference, and the Monte Carlo error of that share (0 in closed form).

    `power` is that of the pair alone, named in advance; `all_pairs` that of the same pair adjusted for all pairs of the
    study's systems, as the study's page shows it.
    """

    plan: Plan
    power: float
    error: float
    studies: int
    all_pairs: float
    all_pairs_error: float


def closed(spread: Spread, plan: Plan, difference: float, *, systems: int = 2, level: float = 0.95) -> Power:
    """Return the power of a two-sided test of `difference` between two of `systems`, by the noncentral t.

    Degrees of freedom are min(raters, clips) − 1, as in the interval that is published.
    """
    df = min(plan.raters, plan.clips) - 1
    if df < 1:
        raise NotEstimable(say("Two raters and two clips are the least a plan can have."))
    shift = abs(difference) / spread.error_of_difference(plan)
    alone, adjusted = (_beyond(limit(df, level, of), df, shift) for of in (2, systems))
    return Power(plan, alone, 0.0, 0, adjusted, 0.0)


@lru_cache(maxsize=4096)
def limit(df: int, level: float, systems: int) -> float:
    """Return the |t| beyond which a pair of `systems` differs, adjusted for all of their pairs (rule D7).

    For pairs alike in what is known of them the largest |t| of all is Tukey's studentized range over √2; of two
    systems there is one pair, and nothing to adjust for.
    """
    if systems == 2:
        return float(t.ppf(0.5 + level / 2, df))
    return float(studentized_range.ppf(level, systems, df)) / sqrt(2)


def _beyond(limit: float, df: int, shift: float) -> float:
    """Return the chance that a noncentral t lies beyond either limit."""
    if shift > limit + CERTAIN:
        # So far out the noncentral t is not a number any more.
        return 1.0
    # The lower tail stops being a number before the upper one does, where it is nothing.
    return float(nct.sf(limit, df, shift)) + float(np.nan_to_num(nct.cdf(-limit, df, shift)))


def half_width(spread: Spread, plan: Plan, *, level: float = 0.95) -> float:
    """Return half the expected width of the interval of a system's mean."""
    return float(t.ppf(0.5 + level / 2, max(min(plan.raters, plan.clips) - 1, 1))) * spread.error_of_mean(plan)


def raters_for_width(spread: Spread, plan: Plan, width: float, *, level: float = 0.95) -> int | None:
    """Return the smallest number of raters whose interval is at most ∓ `width`, all else as in `plan`.

    None where no number of raters is enough, since the clips alone leave more uncertainty than that. Never fewer than
    an interval needs (rule D4).
    """
    least = _least(lambda raters: half_width(spread, replace(plan, raters=raters), level=level) <= width)
    return None if least is None else max(least, MIN_RATERS)


def raters_for_power(
    spread: Spread, plan: Plan, difference: float, power: float = 0.8, *, systems: int = 2
) -> int | None:
    """Return the smallest number of raters that find `difference` with `power`; None where more clips are needed.

    Adjusted for all pairs of `systems`; of two there is nothing to adjust for. Never fewer than a comparison needs
    (rule D4).
    """

    def enough(raters: int) -> bool:
        return closed(spread, replace(plan, raters=raters), difference, systems=systems).all_pairs >= power

    least = _least(enough)
    return None if least is None else max(least, MIN_RATERS)


@dataclass(frozen=True, slots=True)
class LatentSpread:
    """Latent SDs (log-odds of passing for human) of raters, of their liking of a system, and of clips.

    The defaults give the ATT paper's SDs of scores, .234 and .108, when answers are Human, Unclear and Machine.
    """

    rater: float = 1.833
    slope: float = 0.597
    clip: float = 0.8

    @property
    def total(self) -> float:
        return sqrt(self.rater**2 + self.slope**2 + self.clip**2)


# The score of one answer about a clip that passes for human with this probability.
Answer = Callable[[float, np.random.Generator], float]


def simulated(
    answer: Answer,
    crowd: LatentSpread,
    plan: Plan,
    places: tuple[float, float],
    rng: np.random.Generator,
    *,
    studies: int = 200,
    systems: int = 2,
) -> Power:
    """Simulate `studies` of two systems at latent `places`; count those that tell them apart at .05.

    The same two are told apart once as a pair named in advance, once as one of all pairs of `systems`.

    `answer` is the task type's `simulate` followed by its score. Each study draws raters, clips of each system and, for
    each rater, which clips are rated.
    """
    seen = [_seen(answer, crowd, plan, places, rng) for _ in range(studies)]
    alone, adjusted = (sum(value > limit(df, 0.95, of) for value, df in seen) / studies for of in (2, systems))

    def error(share: float) -> float:
        return sqrt(max(share * (1 - share), 0.25 / studies) / studies)

    return Power(plan, alone, error(alone), studies, adjusted, error(adjusted))


def study(answer: Answer, crowd: LatentSpread, plan: Plan, places: Sequence[float], rng: np.random.Generator) -> Design:
    """Return one simulated study of systems at latent `places`: its ratings as a design."""
    systems, each = len(places), min(plan.per_rater, plan.clips)
    rater = rng.normal(0, crowd.rater, plan.raters)
    liking = rng.normal(0, crowd.slope, (plan.raters, systems))
    clip = rng.normal(0, crowd.clip, (systems, plan.clips))
    chosen = np.argsort(rng.random((plan.raters, systems, plan.clips)), axis=2)[:, :, :each]
    who, which, _ = np.indices(chosen.shape)
    latent = np.asarray(places)[which] + rater[who] + liking[who, which] + clip[which, chosen]
    scores = [answer(float(quality), rng) for quality in expit(latent).ravel()]
    return Design.of(scores, who.ravel(), which.ravel(), (which * plan.clips + chosen).ravel())


def _seen(
    answer: Answer, crowd: LatentSpread, plan: Plan, places: Sequence[float], rng: np.random.Generator
) -> tuple[float, int]:
    """Return |t| of the two systems' difference in one simulated study, and its degrees of freedom."""
    group_means = means(study(answer, crowd, plan, places, rng))
    weights: Floats = np.array([1.0, -1.0])
    variance, _ = group_means.variance(weights)
    return (abs(float(weights @ group_means.mean)) / sqrt(variance) if variance > 0 else 0.0), int(group_means.df.min())


def _least(enough: Callable[[int], bool]) -> int | None:
    """Return the smallest number from 2 that is enough, by bisection: more raters never make it worse."""
    if not enough(MOST):
        return None
    low, high = 1, MOST
    while high - low > 1:
        middle = ceil((low + high) / 2)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high

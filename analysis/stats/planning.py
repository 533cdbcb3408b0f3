"""The raters and clips that a study needs: in closed form from variances, and by simulated studies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil, sqrt

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.special import expit
from scipy.stats import chi2, norm, t

from analysis.stats import ranges
from analysis.stats.design import Design, Floats, NotEstimable
from analysis.stats.refusals import MIN_RATERS
from analysis.stats.twoway import means
from core.text.words import say

MOST = 100_000
# Number of quantiles for each part of a printed variance.
NODES = 12
ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Plan:
    """The number of `raters`, of `clips` per system, and of clips per system that each rater rates.

    `per_rater` is a mean. With `is_pair`, raters compare two systems, and clips are pairs of clips: the mean answer is
    tested against that of no preference.
    """

    raters: int
    clips: int
    per_rater: float
    is_pair: bool = False


@dataclass(frozen=True, slots=True)
class Spread:
    """SDs in the units of the scores, as from `reml.fit` with rater, rater:system and clip."""

    rater: float
    slope: float
    clip: float
    residual: float

    def times(self, factor: float) -> Spread:
        return Spread(factor * self.rater, factor * self.slope, factor * self.clip, factor * self.residual)

    def error_of_mean(self, plan: Plan) -> float:
        """Return the standard error of a system's mean, from all four SDs."""
        between = (self.rater**2 + self.slope**2) / plan.raters
        return sqrt(between + self.clip**2 / plan.clips + self.residual**2 / (plan.raters * plan.per_rater))

    def error_of_difference(self, plan: Plan) -> float:
        """Return the standard error of two systems' difference; with the same raters, the raters' levels cancel."""
        return sqrt(2) * replace(self, rater=0.0).error_of_mean(plan)

    def with_careless(self, share: float, difference: float, chance: float, *, is_pair: bool = False) -> Spread:
        """Return the SDs of scores if this share of raters answers at random, with SD `chance` and no difference.

        Careful raters find `difference` between systems, or from no preference (`is_pair`), and careless ones none; so
        raters differ more in it. Clips count for the careful ones only. The expected difference is (1 − share) times
        the former.
        """
        careful, apart = 1 - share, share * (1 - share)
        return Spread(
            rater=self.rater,
            slope=sqrt(careful * self.slope**2 + apart * difference**2 / (1 if is_pair else 2)),
            clip=careful * self.clip,
            residual=sqrt(careful * self.residual**2 + share * chance**2 + apart * self.clip**2),
        )

    def of_mean(self, plan: Plan) -> PrintedVariance:
        """Return the distribution of the variance that an analysis will print for a system's mean."""
        return self._printed(plan, self.rater, 1, plan.clips - 1)

    def of_difference(self, plan: Plan) -> PrintedVariance:
        """Return the distribution for the difference of two systems with the same raters and different clips."""
        return self._printed(plan, 0.0, 2, 2 * (plan.clips - 1))

    def _printed(self, plan: Plan, rater: float, times: int, by_clips: int) -> PrintedVariance:
        """Return the expected parts of a variance; `rater` is the SD of raters that doesn't cancel in the estimate."""
        answers, others, rest = plan.raters * plan.per_rater, max(plan.raters - 1, 1), max(plan.clips - 1, 1)
        # If each rater hears all clips, raters and clips don't add to each other's part.
        missed = max(1 - plan.per_rater / plan.clips, 0.0)
        level, clip, chance = missed * (self.rater**2 + self.slope**2), missed * self.clip**2, self.residual**2
        return PrintedVariance(
            true=times * ((rater**2 + self.slope**2) / plan.raters + self.clip**2 / plan.clips + chance / answers),
            # Deleting one cluster at a time enlarges each part (rule D1).
            rater=times * ((rater**2 + self.slope**2) / plan.raters + (clip + chance) / answers) * (1 + 1 / others),
            clip=times * (self.clip**2 / plan.clips + (level + chance) / answers) * (1 + 1 / rest),
            both=times * (level + clip + chance) / answers,
            by_raters=others,
            by_clips=max(by_clips, 1),
        )


@dataclass(frozen=True, slots=True)
class PrintedVariance:
    """The `true` variance of an estimate, and the parts of the printed one: their means and degrees of freedom.

    The printed variance is itself uncertain: its parts are χ² with `by_raters` and `by_clips` degrees of freedom.
    """

    true: float
    rater: float
    clip: float
    both: float
    by_raters: int
    by_clips: int

    def draws(self) -> tuple[Floats, Floats, Floats]:
        """Return possible printed errors (m,), their degrees of freedom (m,), and their probabilities (m,)."""
        nodes, weights = np.polynomial.legendre.leggauss(NODES)
        at = (nodes + 1) / 2
        rater = self.rater * chi2.ppf(at, self.by_raters)[:, None] / self.by_raters
        clip = self.clip * chi2.ppf(at, self.by_clips)[None, :] / self.by_clips
        variance = np.maximum(rater + clip - self.both, np.maximum(rater, clip))
        df = variance**2 / (rater**2 / self.by_raters + clip**2 / self.by_clips)
        probability = np.outer(weights, weights) / 4
        return np.sqrt(variance).ravel(), np.maximum(df, 1.0).ravel(), probability.ravel()


@dataclass(frozen=True, slots=True)
class Power:
    """The share of studies that detect the difference, and the Monte Carlo error of that share (0 in closed form).

    `power` is for a single pair named in advance; `all_pairs` for the same pair adjusted for all pairs of the study's
    systems, as on the Results page.
    """

    plan: Plan
    power: float
    error: float
    studies: int
    all_pairs: float
    all_pairs_error: float


def closed(spread: Spread, plan: Plan, difference: float, *, systems: int = 2, level: float = 0.95) -> Power:
    """Return the power of a two-sided test of `difference` between two of `systems`, or from no preference.

    The difference is Normal; its error and degrees of freedom are those expected for the published interval (rule D1).
    """
    if min(plan.raters, plan.clips) < 2:
        raise NotEstimable(say("Two raters and two clips are the least a plan can have."))
    expected = spread.of_mean(plan) if plan.is_pair else spread.of_difference(plan)
    errors, df, probability = expected.draws()
    true, shift = sqrt(expected.true), abs(difference)
    powers = []
    for of in (2, systems):
        reach = limit(df, level, of) * errors
        powers.append(float(probability @ (norm.sf((reach - shift) / true) + norm.cdf((-reach - shift) / true))))
    return Power(plan, powers[0], 0.0, 0, powers[1], 0.0)


def limit(df: Floats, level: float, systems: int) -> Floats:
    """Return the |t| (n,) beyond which a pair of `systems` differs, adjusted for all of their pairs (rule D7).

    It is the studentized range over √2; for two systems there is one pair and no adjustment.
    """
    if systems == 2:
        return np.asarray(t.ppf(0.5 + level / 2, df))
    return np.asarray(_limits(systems, level)(1 / df) / sqrt(2))


@lru_cache(maxsize=64)
def _limits(systems: int, level: float) -> PchipInterpolator:
    """Return the studentized range's limit as a function of 1 / df: nearly linear, so 40 points give 1e-4."""
    inverse = np.linspace(0, 1, 40) ** 2
    inverse[0] = 1e-7
    return PchipInterpolator(inverse, ranges.limits(systems, 1 / inverse, 1 - level))


def half_width(spread: Spread, plan: Plan, *, level: float = 0.95) -> float:
    """Return half the expected width of the interval of a system's mean."""
    errors, df, probability = spread.of_mean(plan).draws()
    return float(probability @ (t.ppf(0.5 + level / 2, df) * errors))


def raters_for_width(spread: Spread, plan: Plan, width: float, *, level: float = 0.95) -> int | None:
    """Return the smallest number of raters with an interval of at most ∓ `width`, otherwise as in `plan`.

    None if no number of raters is enough, because the clips leave more uncertainty. At least the minimum for an
    interval (rule D4).
    """
    number = least(lambda raters: half_width(spread, replace(plan, raters=raters), level=level) <= width)
    return None if number is None else max(number, MIN_RATERS)


def raters_for_power(
    spread: Spread, plan: Plan, difference: float, power: float = 0.8, *, systems: int = 2, level: float = 0.95
) -> int | None:
    """Return the smallest number of raters that detect `difference` with `power`; None if more clips are needed.

    Adjusted for all pairs of `systems`, which changes nothing for two. At least the minimum for a comparison (rule D4).
    """

    def enough(raters: int) -> bool:
        return closed(spread, replace(plan, raters=raters), difference, systems=systems, level=level).all_pairs >= power

    number = least(enough)
    return None if number is None else max(number, MIN_RATERS)


@dataclass(frozen=True, slots=True)
class LatentSpread:
    """Latent SDs (log-odds of passing for human) of raters, of raters' preferences for systems, and of clips.

    The defaults give the ATT paper's SDs of scores, .234 and .108, if answers are Human, Unclear and Machine.
    """

    rater: float = 1.833
    slope: float = 0.597
    clip: float = 0.8

    @property
    def of_pairs(self) -> LatentSpread:
        """The SDs of differences of two clips: a rater's level cancels."""
        return LatentSpread(0.0, sqrt(2) * self.slope, sqrt(2) * self.clip)

    @property
    def total(self) -> float:
        return sqrt(self.rater**2 + self.slope**2 + self.clip**2)


# Returns the score of one answer about a clip that passes for human with this probability.
Answer = Callable[[float, np.random.Generator], float]


def simulated(
    answer: Answer,
    crowd: LatentSpread,
    plan: Plan,
    places: Sequence[float],
    rng: np.random.Generator,
    *,
    studies: int = 200,
    systems: int = 2,
    null: float = 0.0,
) -> Power:
    """Simulate `studies` of two systems at latent `places`; count those with a significant difference at .05.

    With one place, that of a pair: count those with a mean that differs from `null`.

    Tests the pair both as named in advance and adjusted for all pairs of `systems`. `answer` is the task type's
    `simulate` followed by its score. Each study draws raters, clips of each system and, for each rater, the clips
    rated.
    """
    reach, df = np.array([_seen(answer, crowd, plan, places, rng, null) for _ in range(studies)]).T
    alone, adjusted = (float((ranges.beyond(np.sqrt(2) * reach, of, df) < ALPHA).mean()) for of in (2, systems))

    def error(share: float) -> float:
        return sqrt(max(share * (1 - share), 0.25 / studies) / studies)

    return Power(plan, alone, error(alone), studies, adjusted, error(adjusted))


def study(answer: Answer, crowd: LatentSpread, plan: Plan, places: Sequence[float], rng: np.random.Generator) -> Design:
    """Return one simulated study of systems at latent `places`: its ratings as a design."""
    systems, each = len(places), int(min(plan.per_rater, plan.clips))
    rater = rng.normal(0, crowd.rater, plan.raters)
    liking = rng.normal(0, crowd.slope, (plan.raters, systems))
    clip = rng.normal(0, crowd.clip, (systems, plan.clips))
    chosen = np.argsort(rng.random((plan.raters, systems, plan.clips)), axis=2)[:, :, :each]
    who, which, _ = np.indices(chosen.shape)
    latent = np.asarray(places)[which] + rater[who] + liking[who, which] + clip[which, chosen]
    scores = [answer(float(quality), rng) for quality in expit(latent).ravel()]
    return Design.of(scores, who.ravel(), which.ravel(), (which * plan.clips + chosen).ravel())


def _seen(
    answer: Answer, crowd: LatentSpread, plan: Plan, places: Sequence[float], rng: np.random.Generator, null: float
) -> tuple[float, float]:
    """Return |t| of the difference in one simulated study, and its degrees of freedom."""
    estimate = means(study(answer, crowd, plan, places, rng)).estimate(np.array([1.0, -1.0][: len(places)]))
    return (abs(estimate.value - null) / estimate.error if estimate.error > 0 else 0.0), estimate.df


def least(enough: Callable[[int], bool]) -> int | None:
    """Return the smallest number from 2 that is enough, by bisection: more raters never make it worse."""
    if not enough(MOST):
        return None
    low, high = 1, MOST
    while high - low > 1:
        middle = ceil((low + high) / 2)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high

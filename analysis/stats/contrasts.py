"""All pairs of systems at once, tiers, ranks, and the comparison with human speech (rules D3 and D7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from string import ascii_lowercase
from typing import Protocol

import numpy as np
from scipy.special import stdtr, stdtrit

from analysis.stats import ranges
from analysis.stats.design import Floats
from analysis.stats.figures import Contrast
from analysis.stats.intervals import LOG_ODDS, WILSON, differences, place
from analysis.stats.twoway import Estimate, Means

# The search for tiers ends here: so many rarely become few enough for letters.
MOST_TIERS = 500


class Tested(Protocol):
    """A difference with its interval at any level, and the |t| at which the interval touches 0."""

    @property
    def estimate(self) -> Estimate: ...
    @property
    def t(self) -> float: ...
    def ends(self, alpha: float) -> tuple[float, float]: ...


@dataclass(frozen=True, slots=True)
class Versus:
    """A system minus human speech: interval at `level` and a verdict at `margin`.

    `verdict` is "non_inferior" (the whole interval is above −margin), "inferior" (all of it is below) or "undecided". A
    difference that is not significant doesn't imply any of these.
    """

    system: int
    difference: float
    low: float
    high: float
    margin: float
    verdict: str


def all_pairs(group_means: Means, *, low: float, high: float, level: float = 0.95) -> tuple[Contrast[int], ...]:
    """Compare all pairs of means of scores between `low` and `high`.

    A pair's own interval is that of `intervals.difference`. Adjusted for all pairs of S systems, p = P(q > √2·|t|) by
    the studentized range with S groups and the pair's own error and degrees of freedom (Games and Howell 1976). The
    simultaneous ends are those of the interval at the |t| that this range exceeds with probability 1 − `level`.
    """
    at = list(combinations(range(len(group_means.mean)), 2))
    return adjusted(at, differences(group_means, at, low=low, high=high), level)


def adjusted(
    at: Sequence[tuple[int, int]], between: Sequence[Tested], level: float = 0.95
) -> tuple[Contrast[int], ...]:
    """Return the contrasts of all pairs `at` of S systems, adjusted for all of them by the studentized range."""
    if not at:
        return ()
    size, alpha = len({system for names in at for system in names}), 1 - level
    df = np.array([each.estimate.df for each in between])
    reach = ranges.limits(size, df, alpha) / np.sqrt(2)
    p = ranges.beyond(np.sqrt(2) * np.array([each.t for each in between]), size, df)
    return tuple(
        Contrast(
            *names,
            each.estimate.value,
            each.estimate.error,
            each.estimate.df,
            *each.ends(alpha),
            *each.ends(2 * float(stdtr(each.estimate.df, -reach[number]))),
            float(p[number]),
        )
        for number, (names, each) in enumerate(zip(at, between, strict=True))
    )


def covariance(group_means: Means, *, low: float, high: float) -> Floats:
    """Return (g, g) for joint draws of the means: the covariance by raters and texts, without negative eigenvalues.

    Near an end of the scale, a mean's variance is that of a Normal with an interval of the same width.
    """
    size = len(group_means.mean)
    whole = sum((each.variance for each in group_means.clusters), np.zeros((size, size)))
    values, vectors = np.linalg.eigh(whole - group_means.by_both)
    positive = (vectors * np.maximum(values, 0)) @ vectors.T
    errors = np.array([_error(group_means, row, low, high) for row in np.eye(size)])
    own = np.sqrt(np.diag(positive))
    scale = np.divide(errors, own, out=np.zeros(size), where=own > 0)
    result: Floats = positive * np.outer(scale, scale)
    result.flat[:: size + 1] = errors**2
    return result


def _error(group_means: Means, weights: Floats, low: float, high: float) -> float:
    here = place(group_means, weights, low=low, high=high)
    if here.method not in (LOG_ODDS, WILSON):
        return here.estimate.error
    bottom, top = here.ends(0.05)
    return (bottom - top) / 2 / float(stdtrit(here.estimate.df, 0.025))


def tiers(means: Floats, differ: Callable[[int, int], bool]) -> tuple[str, ...]:
    """Return letters for each of `means` (g,): two share a letter if and only if they don't `differ` (Piepho 2004).

    "a" includes the highest mean; tiers may overlap. All are empty if the alphabet is too short: many systems can form
    thousands of tiers.
    """
    place = {int(index): at for at, index in enumerate(np.argsort(-means, kind="stable"))}
    # A tier is a number with a bit for each system, the highest mean first.
    columns = [(1 << len(place)) - 1]
    for (first, at), (second, after) in combinations(place.items(), 2):
        both = 1 << at | 1 << after
        rest = [column for column in columns if column & both != both]
        if len(rest) == len(columns) or not differ(first, second):
            continue
        split = {column & ~(1 << bit) for column in columns if column & both == both for bit in (at, after)}
        columns = rest + [one for one in split if not any(one & other == one != other for other in (*rest, *split))]
        if len(columns) > MOST_TIERS:
            break
    if len(columns) > len(ascii_lowercase):
        return ("",) * len(place)
    columns.sort(key=lambda column: [bit for bit in range(len(place)) if column >> bit & 1])
    named = list(zip(ascii_lowercase, columns, strict=False))
    found = {index: "".join(name for name, column in named if column >> bit & 1) for index, bit in place.items()}
    return tuple(found[index] for index in range(len(place)))


def letters(means: Floats, contrasts: tuple[Contrast[int], ...], *, alpha: float = 0.05) -> tuple[str, ...]:
    """Return the tiers of `means` (g,); two differ if their adjusted p is below `alpha`."""
    apart = {frozenset((contrast.first, contrast.second)) for contrast in contrasts if contrast.p < alpha}
    return tiers(means, lambda first, second: frozenset((first, second)) in apart)


def ranks(draws: Floats) -> Floats:
    """Return (groups, ranks): the share of joint `draws` (m, g) with each rank of a group; rank 1 is the highest."""
    place = np.argsort(np.argsort(-draws, axis=1, kind="stable"), axis=1)
    size = draws.shape[1]
    return np.stack([np.bincount(place[:, group], minlength=size) for group in range(size)]) / len(draws)


def joint(means: Floats, covariance: Floats, rng: np.random.Generator, *, draws: int = 10_000) -> Floats:
    """Return (draws, g) draws of Normal(`means`, `covariance`), for `ranks` if there is no posterior.

    Uses the symmetric root of the covariance, so that the same ratings in another order give the same draws:
    eigenvectors may change their sign.
    """
    values, vectors = np.linalg.eigh(covariance)
    root = (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
    noise = rng.standard_normal((draws, len(means)))
    sample: Floats = means + noise @ root
    return sample


def against(human: int, contrasts: tuple[Contrast[int], ...], margin: float, *, sign: int = 1) -> tuple[Versus, ...]:
    """Compare each system with group `human` at `margin` > 0 by its own interval (two one-sided tests at 2.5 %).

    `sign` is −1 where less is better: then "non_inferior" is the whole interval below the margin.
    """
    if margin <= 0:
        raise ValueError("the margin must be positive")
    result = []
    for contrast in contrasts:
        if human not in (contrast.first, contrast.second):
            continue
        turned = contrast.first == human
        side = -1.0 if turned else 1.0
        low, high = sorted((side * contrast.low, side * contrast.high))
        worst, best = sorted((sign * low, sign * high))
        verdict = "non_inferior" if worst > -margin else "inferior" if best < -margin else "undecided"
        system = contrast.second if turned else contrast.first
        result.append(Versus(system, side * contrast.difference, low, high, margin, verdict))
    return tuple(result)

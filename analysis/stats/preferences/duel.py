"""Two systems only, also with very few raters: which rule applies, and its figures (rule D15)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binomtest

from analysis.stats import refusals
from analysis.stats.design import Codes, Design, Floats, coded
from analysis.stats.intervals import SMALLEST_ALPHA, Place, interval, place
from analysis.stats.pair_tests import sign_flips
from analysis.stats.preferences.answers import Preferences
from analysis.stats.scores import wilson
from analysis.stats.twoway import ONE_WAY, Estimate, means
from core.text.words import say

ONE_LISTENER = say("One listener: this holds for texts like these, not for other listeners.")
THESE_LISTENERS = say("For these listeners only: it holds for texts like these.")


class Rule(StrEnum):
    """How few raters and texts decide what may be said."""

    COUNTS = "counts only"
    ONE_RATER = "one rater"
    FEW_RATERS = "two to four raters"
    TWO_WAY = "raters and texts"


@dataclass(frozen=True, slots=True)
class RaterCount:
    """One rater's preferences; `rater` is the code."""

    rater: int
    wins: int
    losses: int
    ties: int


@dataclass(frozen=True, slots=True)
class Share:
    """The probability of a win, ties apart, with its interval and p for ½, by the `rule` that applies.

    - "one rater": the share of texts on which the first system won; Wilson's interval, exact sign test. A text with as
      many wins as losses counts as tied. `texts` are those with a winner.
    - "two to four raters": the mean over texts of the share of wins, by t; `p_flips` is that of sign flips of the
      texts' means.
    - "raters and texts": the share of all answers, with the default interval.
    - "counts only": fewer than five texts, or no default interval; `note` says why. No share.
    """

    rule: Rule
    texts: int
    value: float | None
    low: float | None
    high: float | None
    p: float | None
    p_flips: float | None
    note: str


@dataclass(frozen=True, slots=True)
class Duel:
    """How often the first of two systems, in the order of their names, was preferred; ties are counted apart."""

    names: tuple[str, ...]
    wins: int
    losses: int
    ties: int
    by_rater: tuple[RaterCount, ...]
    share: Share


def duel(preferences: Preferences, rng: np.random.Generator, *, level: float = 0.95) -> Duel:
    """Compare two systems. Raises ValueError unless there are exactly two, with known texts.

    `rng` draws 9,999 sign flips where all of them would be more.
    """
    if len(preferences.systems) != 2 or preferences.text is None:
        raise ValueError("a duel needs two systems, and the texts of its answers")
    score = np.where(preferences.first == 0, preferences.outcome, -preferences.outcome)
    return Duel(
        preferences.systems,
        *_counts(score),
        tuple(
            RaterCount(int(rater), *_counts(score[preferences.rater == rater]))
            for rater in np.unique(preferences.rater)
        ),
        _share(score, preferences.rater, preferences.text, rng, level),
    )


def _counts(score: Codes) -> tuple[int, int, int]:
    """Return wins, losses and ties; a score is 1, −1 or 0."""
    return int((score > 0).sum()), int((score < 0).sum()), int((score == 0).sum())


def _share(score: Codes, rater: Codes, text: Codes, rng: np.random.Generator, level: float) -> Share:
    at, raters, heard = np.flatnonzero(score), len(np.unique(rater)), len(np.unique(text))
    won, text = (score[at] > 0).astype(np.float64), coded(text[at])[1]
    if raters == 1:
        return _one_rater(won, text, heard, level)
    return _several_raters(won, rater[at], text, heard, raters, rng, level)


def score_gap(rater: Any, text: Any, gap: Any, reach: float, rng: np.random.Generator, *, level: float = 0.95) -> Share:
    """Compare two systems by differences of scores `gap` (n,), −`reach` to `reach`, of one `rater` on one `text` each.

    "one rater" is as in `Share`: the share of texts with a positive difference. The other rules give the mean
    difference with its interval, in units of the score, and p for 0.
    """
    gaps, raters, texts = np.asarray(gap, dtype=np.float64), coded(rater)[1], coded(text)[1]
    heard = len(np.unique(texts))
    if len(np.unique(raters)) == 1:
        at = np.flatnonzero(gaps)
        return _one_rater((gaps[at] > 0).astype(np.float64), coded(texts[at])[1], heard, level)
    share = _several_raters((gaps / reach + 1) / 2, raters, texts, heard, len(np.unique(raters)), rng, level)

    def unscaled(value: float | None) -> float | None:
        return None if value is None else (2 * value - 1) * reach

    return replace(share, value=unscaled(share.value), low=unscaled(share.low), high=unscaled(share.high))


def _several_raters(
    won: Floats, rater: Codes, text: Codes, heard: int, raters: int, rng: np.random.Generator, level: float
) -> Share:
    """Return the mean of `won` (n,), 0 to 1, by the rule for this number of raters, of whom some may have only ties."""
    texts = len(np.unique(text))
    if texts < refusals.MIN_TEXTS:
        return _too_few(texts, heard)
    if raters < refusals.MIN_RATERS:
        return _few_raters(np.bincount(text, won) / np.bincount(text), rng, level)
    group_means = means(Design.of(won, rater, np.zeros(len(won)), text=text))
    whole = interval(group_means, np.ones(1), low=0.0, high=1.0, level=level)
    if whole.low is None:
        return _no_share(texts, whole.note)
    p = p_of_half(place(group_means, np.ones(1), low=0.0, high=1.0))
    return Share(Rule.TWO_WAY, texts, whole.mean, whole.low, whole.high, p, None, whole.note)


def _no_share(texts: int, note: str) -> Share:
    return Share(Rule.COUNTS, texts, None, None, None, None, None, note)


def _too_few(texts: int, heard: int) -> Share:
    """Return counts only, with the reason: of the texts that were `heard`, those with a tie don't count."""
    if texts < heard:
        note = say(
            "Too few texts without a tie: {texts}, and at least {least} are needed.",
            texts=texts,
            least=refusals.MIN_TEXTS,
        )
        return _no_share(texts, note)
    return _no_share(texts, str(refusals.too_few(refusals.MIN_RATERS, texts)))


def _one_rater(won: Floats, text: Codes, heard: int, level: float) -> Share:
    balance = np.bincount(text, 2 * won - 1)
    wins, texts = int((balance > 0).sum()), int((balance != 0).sum())
    if texts < refusals.MIN_TEXTS:
        return _too_few(texts, heard)
    low, high = wilson(wins / texts, texts, level=level)
    p = float(binomtest(wins, texts).pvalue)
    return Share(Rule.ONE_RATER, texts, wins / texts, low, high, p, None, ONE_LISTENER)


def _few_raters(by_text: Floats, rng: np.random.Generator, level: float) -> Share:
    texts = len(by_text)
    error = float(by_text.std(ddof=1) / np.sqrt(texts))
    here = Place(Estimate(float(by_text.mean()), error, texts - 1.0, ONE_WAY), texts, 0.0, 1.0)
    low, high = here.ends(1 - level)
    [flips] = sign_flips(by_text[:, None] - 0.5, rng)
    p_flips = None if flips is None else flips.p
    return Share(Rule.FEW_RATERS, texts, here.share, low, high, p_of_half(here), p_flips, THESE_LISTENERS)


def p_of_half(here: Place) -> float:
    """Return the two-sided p of a share of ½: the largest α at which the interval excludes it."""
    share = here.estimate.value
    if abs(share - 0.5) < 1e-12:
        return 1.0

    def beyond(alpha: float) -> float:
        low, high = here.ends(alpha)
        return low - 0.5 if share > 0.5 else 0.5 - high

    if beyond(SMALLEST_ALPHA) > 0:
        return SMALLEST_ALPHA
    return float(brentq(beyond, SMALLEST_ALPHA, 1 - 1e-12, xtol=1e-15))

"""Do listeners hear a difference? ABX and same–different (rule D14)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri
from scipy.stats import binomtest

from analysis.stats.design import Design
from analysis.stats.intervals import Interval, difference, interval, intervals
from analysis.stats.twoway import means

# No share of fewer than 1e12 answers is as far from ½ as this d′.
HIGHEST_D_PRIME = 25.0


@dataclass(frozen=True, slots=True)
class Abx:
    """The share of right answers with its interval, the exact test, and d′ with the ends of the share transformed.

    `p` is one-sided: the probability of at least as many right answers from pure guesses. It is exact
    however answers belong together, because X is drawn for each. `high` is None if there is no interval, or if no d′ is
    too high.
    """

    right: int
    answers: int
    share: Interval
    p: float
    d_prime: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class SameDifferent:
    """How often pairs were called different, when they were (`hits`) and when not (`false_alarms`), and d′.

    `gap` is hits − false alarms with its 95 % interval (None if there is none). d′ has no interval: near 0 it has no
    derivative, and the interval of `gap` says whether a difference is heard.
    """

    hits: Interval
    false_alarms: Interval
    gap: float
    gap_low: float | None
    gap_high: float | None
    d_prime: float


def abx(rater: Any, text: Any, right: Any, *, level: float = 0.95) -> Abx:
    """Analyse answers (n,) `right` or not; `text` is None if unknown. Raises NotEstimable without answers."""
    is_right = np.asarray(right, dtype=np.float64)
    answers = means(Design.of(is_right, rater, np.zeros(len(is_right)), text=text))
    share = interval(answers, np.ones(1), low=0.0, high=1.0, level=level)
    count, total = int(is_right.sum()), len(is_right)
    p = float(binomtest(count, total, alternative="greater").pvalue)
    d_prime = abx_d_prime((count + 0.5) / (total + 1))
    low = None if share.low is None else min(abx_d_prime(share.low), d_prime)
    high = None if share.high is None or share.high >= 1 else max(abx_d_prime(share.high), d_prime)
    return Abx(count, total, share, p, d_prime, low, high)


def abx_share(d_prime: float) -> float:
    """Return the share of right answers at a d′ ≥ 0 by the differencing model (Macmillan and Creelman 2005)."""
    two, six = d_prime / np.sqrt(2), d_prime / np.sqrt(6)
    return float(ndtr(two) * ndtr(six) + ndtr(-two) * ndtr(-six))


def abx_d_prime(share: float) -> float:
    """Return the d′ of a share of right answers below 1; 0 up to ½."""
    return 0.0 if share <= 0.5 else float(brentq(lambda d: abx_share(d) - share, 0.0, HIGHEST_D_PRIME))


def same_different(
    rater: Any, text: Any, is_different: Any, said_different: Any, *, level: float = 0.95
) -> SameDifferent | None:
    """Analyse answers (n,) to pairs that were different or identical; None if one kind is missing."""
    kind = np.asarray(is_different, dtype=bool)
    said = np.asarray(said_different, dtype=np.float64)
    if not len(kind) or kind.all() or not kind.any():
        return None
    answers = means(Design.of(said, rater, kind.astype(np.int64), text=text))
    false_alarms, hits = intervals(answers, low=0.0, high=1.0, level=level)
    gap = difference(answers, np.array([-1.0, 1.0]), low=0.0, high=1.0)
    low, high = (None, None) if hits.low is None or false_alarms.low is None else gap.ends(1 - level)
    rates = [(float(said[kind == side].sum()) + 0.5) / (int((kind == side).sum()) + 1) for side in (True, False)]
    return SameDifferent(hits, false_alarms, gap.estimate.value, low, high, same_different_d_prime(*rates))


def same_different_d_prime(hit: float, false_alarm: float) -> float:
    """Return d′ by the differencing model, from rates strictly between 0 and 1; 0 if hits are no more frequent.

    "Different" is said beyond a criterion k: F = 2Φ(−k/√2), H = Φ((d′ − k)/√2) + Φ((−d′ − k)/√2) (Macmillan, Kaplan and
    Creelman 1977).
    """
    if hit <= false_alarm:
        return 0.0
    criterion, root = -np.sqrt(2) * float(ndtri(false_alarm / 2)), np.sqrt(2)

    def beyond(d_prime: float) -> float:
        return float(ndtr((d_prime - criterion) / root) + ndtr((-d_prime - criterion) / root)) - hit

    return float(brentq(beyond, 0.0, HIGHEST_D_PRIME))

"""Distinguishing human from machine: sensitivity, bias and AUC (rule D5)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, sqrt

import numpy as np
from scipy.special import ndtri
from scipy.stats import norm, t

from analysis.stats import refusals
from analysis.stats.design import Codes, Design, Floats, Mask
from analysis.stats.intervals import Place
from analysis.stats.refusals import Refusal
from analysis.stats.twoway import Means, means
from core.text.words import joined

# A single rater's d′ needs this many answers of each kind.
LEAST_EACH = 20
# Contrast weights of the two kinds of answers.
SYNTHETIC, HUMAN = np.eye(2)


@dataclass(frozen=True, slots=True)
class Signal:
    """d′, criterion c (positive: says Machine more often), likelihood ratio β, AUC, and the numbers of answers.

    The 95 % intervals account for raters and clips; None for the reason in `refusal`. `note` limits their scope.
    """

    d_prime: float
    criterion: float
    beta: float
    auc: float
    d_prime_interval: tuple[float, float] | None
    auc_interval: tuple[float, float] | None
    human: int
    synthetic: int
    refusal: Refusal | None
    note: str


def rates(hit: float, false_alarm: float) -> tuple[float, float, float]:
    """Return d′ = z(H) − z(F), c = −(z(H) + z(F)) / 2 and β = exp(d′c) for rates strictly between 0 and 1."""
    hits, alarms = float(ndtri(hit)), float(ndtri(false_alarm))
    d_prime, criterion = hits - alarms, -(hits + alarms) / 2
    return d_prime, criterion, exp(d_prime * criterion)


def detect(
    scores: Floats, human: Mask, rater: Codes, clip: Codes, text: Codes | None = None, *, high: float
) -> Signal | None:
    """Return how well `scores` (n,) distinguish `human` (n,) clips from the rest; None if one kind is missing.

    A hit is a human clip with score `high` (answered Human); Unclear counts as Machine. Rates are always (count + ½) /
    (n + 1) (Hautus 1995), so d′ is finite. AUC is the probability that a human clip scores higher, with ties counting
    ½.

    Both intervals use the variance by raters and texts, the degrees of freedom and the limits of those of means (rule
    D1). That of d′ is the delta method's through z(H) and z(F). That of AUC is the interval of a mean from 0 to 1: of
    the answers' placements (DeLong et al. 1988; clustered: Obuchowski 1997). Neither is narrower than for independent
    answers: a rate of 1 has no variance of its own.
    """
    kind = human.astype(np.int64)
    levels, grade = np.unique(scores, return_inverse=True)
    grade = grade.reshape(-1)
    counts = np.bincount(kind * len(levels) + grade, minlength=2 * len(levels)).reshape(2, -1).astype(np.float64)
    size = counts.sum(axis=1)
    if not size.all():
        return None
    rate = (counts[:, levels >= high].sum(axis=1) + 0.5) / (size + 1)
    placements = _placements(counts, kind, grade)
    auc = float(placements[human].mean())
    design = Design.of(scores >= high, rater, kind, clip, text)
    hits = means(design)
    refusal = refusals.SAME if len(levels) < 2 else hits.refusal(HUMAN) or hits.refusal(SYNTHETIC)
    d_prime, criterion, beta = rates(float(rate[1]), float(rate[0]))
    ends: list[tuple[float, float] | None] = [None, None]
    if refusal is None:
        reach = float(t.isf(0.025, _df(hits, rate))) * _error_of_d_prime(hits, rate, size)
        ends = [(d_prime - reach, d_prime + reach), _place_of_auc(design, placements, auc).ends(0.05)]
    note = joined(hits.scope, refusals.few_raters(min(_raters(hits))))
    return Signal(d_prime, criterion, beta, auc, ends[0], ends[1], int(size[1]), int(size[0]), refusal, note)


def per_rater(scores: Floats, human: Mask, rater: Codes, *, high: float) -> dict[int, float | None]:
    """Return {rater: d′}; None below 20 human and 20 synthetic answers."""
    by_rater: dict[int, float | None] = {}
    for person in np.unique(rater):
        own = rater == person
        kinds = [(scores[own & kind] >= high) for kind in (human, ~human)]
        enough = min(len(kind) for kind in kinds) >= LEAST_EACH
        shares = [float((kind.sum() + 0.5) / (len(kind) + 1)) for kind in kinds]
        by_rater[int(person)] = rates(shares[0], shares[1])[0] if enough else None
    return by_rater


def _raters(hits: Means) -> list[int]:
    return [hits.counts(kind)[0] for kind in (HUMAN, SYNTHETIC)]


def _slopes(rate: Floats) -> Floats:
    """Return the derivatives (2,) of d′ by the rates, synthetic first."""
    slopes: Floats = np.array([-1.0, 1.0]) / norm.pdf(ndtri(rate))
    return slopes


def _df(hits: Means, rate: Floats) -> float:
    return hits.estimate(_slopes(rate)).df


def _error_of_d_prime(hits: Means, rate: Floats, size: Floats) -> float:
    slopes = _slopes(rate)
    variance = hits.estimate(slopes).error ** 2
    for own, slope, share, answers in zip((SYNTHETIC, HUMAN), slopes, rate, size, strict=True):
        independent = share * (1 - share) / answers
        variance += slope**2 * max(0.0, independent - hits.estimate(own).error ** 2)
    return sqrt(variance)


def _place_of_auc(design: Design, placements: Floats, auc: float) -> Place:
    """Return the AUC with its error, which combines the placements of both kinds of answers."""
    by_answer = means(replace(design, score=placements))
    both = by_answer.estimate(HUMAN + SYNTHETIC)
    independent = sum(float(placements[design.system == kind].var()) / by_answer.ratings[kind] for kind in (0, 1))
    estimate = replace(both, value=auc, error=max(both.error, sqrt(independent)))
    return Place(estimate, min(by_answer.effective(kind) for kind in (HUMAN, SYNTHETIC)), 0.0, 1.0)


def _placements(counts: Floats, kind: Codes, grade: Codes) -> Floats:
    """Return the share of the other kind's answers that each answer is ordered correctly against.

    The mean of either kind is the AUC. `counts` (2, levels): synthetic first, human second. A tie counts ½.
    """
    shares = counts / counts.sum(axis=1, keepdims=True)
    below = np.cumsum(shares, axis=1) - shares / 2
    placements: Floats = np.where(kind == 1, below[0][grade], 1 - below[1][grade])
    return placements

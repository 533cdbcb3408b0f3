"""Telling human from machine: sensitivity, bias and AUC (rule D5)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, sqrt

import numpy as np
from scipy.special import expit, logit, ndtri
from scipy.stats import norm, t

from analysis.stats import refusals
from analysis.stats.design import Codes, Design, Floats, Mask
from analysis.stats.refusals import Refusal
from analysis.stats.twoway import Means, means

# A single rater's d′ needs this many answers of each kind.
LEAST_EACH = 20


@dataclass(frozen=True, slots=True)
class Signal:
    """d′, criterion c (positive: says Machine more often), likelihood ratio β, AUC, and how many answers of each kind.

    The intervals (95 %) account for raters and for clips; None where `refusal` says why. `note` says what else they
    hold for.
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
    """Return how well `scores` (n,) tell `human` (n,) clips from the rest; None when one kind is missing.

    A hit is a human clip with score `high` (answered Human); Unclear counts with Machine. Rates are always
    (count + ½) / (n + 1) (Hautus 1995), so d′ is finite. AUC is the chance that a human clip scores higher, ties
    counting ½.

    Both intervals cluster by rater and by clip (by text where both kinds share texts), as those of means do, with t on
    the smallest number of clusters less one, where clusters of unequal size count as fewer. That of d′ is the delta
    method's through z(H) and z(F). That of AUC takes the mean of the answers' placements (DeLong et al. 1988;
    clustered: Obuchowski 1997) on log-odds, so that it stays between 0 and 1. Neither is narrower than independent
    answers would make it: a rate of 1 has no variance of its own.
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
    clips = min(len(np.unique(clip[human])), len(np.unique(clip[~human])))
    refusal = _refusal(hits, clips, levels, auc)
    d_prime, criterion, beta = rates(float(rate[1]), float(rate[0]))
    ends: list[tuple[float, float] | None] = [None, None]
    if refusal is None:
        reach = _reach(design)
        half = reach * _error_of_d_prime(hits, rate, size)
        by_answer = means(replace(design, score=placements))
        independent = sum(float(placements[kind == own].var()) / size[own] for own in (0, 1))
        odds = reach * sqrt(max(by_answer.variance(np.ones(2))[0], independent)) / (auc * (1 - auc))
        ends = [
            (d_prime - half, d_prime + half),
            (float(expit(logit(auc) - odds)), float(expit(logit(auc) + odds))),
        ]
    return Signal(d_prime, criterion, beta, auc, ends[0], ends[1], int(size[1]), int(size[0]), refusal, hits.scope)


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


def _refusal(hits: Means, clips: int, levels: Floats, auc: float) -> Refusal | None:
    if few := refusals.too_few(int(hits.raters.min()), clips):
        return few
    if len(levels) < 2:
        return refusals.SAME
    return refusals.SEPARATED_KINDS if auc in (0.0, 1.0) else None


def _reach(design: Design) -> float:
    """Return how many standard errors an interval reaches: t on the smallest number of clusters of a kind, less one.

    Clusters of n answers each count as (Σ n)² / Σ n², here and in the variance's C / (C − 1).
    """
    counts = []
    for codes in (design.rater, design.pieces):
        if codes is not None:
            sizes = [np.bincount(codes[design.system == own]).astype(np.float64) for own in (0, 1)]
            counts += [(float(each.sum() ** 2 / (each @ each)), int((each > 0).sum())) for each in sizes]
    effective, there = min(counts)
    # One clip with nearly all of the answers would leave nothing to divide by.
    effective = max(effective, 2.0)
    correction = effective / (effective - 1) * (there - 1) / there
    return float(t.ppf(0.975, effective - 1)) * sqrt(correction)


def _error_of_d_prime(hits: Means, rate: Floats, size: Floats) -> float:
    slopes = np.array([-1.0, 1.0]) / norm.pdf(ndtri(rate))
    variance = hits.variance(slopes)[0]
    for own, slope, share, answers in zip(np.eye(2), slopes, rate, size, strict=True):
        independent = share * (1 - share) / answers
        variance += slope**2 * max(0.0, independent - hits.variance(own)[0])
    return sqrt(variance)


def _placements(counts: Floats, kind: Codes, grade: Codes) -> Floats:
    """Return for each answer the share of the other kind's that is on the wrong side of it; either mean is the AUC.

    `counts` (2, levels): synthetic first, human second. A tie counts ½.
    """
    shares = counts / counts.sum(axis=1, keepdims=True)
    below = np.cumsum(shares, axis=1) - shares / 2
    placements: Floats = np.where(kind == 1, below[0][grade], 1 - below[1][grade])
    return placements

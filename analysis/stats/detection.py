"""Telling human from machine: sensitivity, bias and AUC (rule D5)."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

import numpy as np
from scipy.special import ndtri

from analysis.stats.design import Codes, Floats, Mask

# A single rater's d′ needs this many answers of each kind.
LEAST_EACH = 20


@dataclass(frozen=True, slots=True)
class Signal:
    """d′, criterion c (positive: says Machine more often), likelihood ratio β, AUC, and how many answers of each kind.

    The intervals (95 %) are a bootstrap's over raters; None below ten raters.
    """

    d_prime: float
    criterion: float
    beta: float
    auc: float
    d_prime_interval: tuple[float, float] | None
    auc_interval: tuple[float, float] | None
    human: int
    synthetic: int


def rates(hit: float, false_alarm: float) -> tuple[float, float, float]:
    """Return d′ = z(H) − z(F), c = −(z(H) + z(F)) / 2 and β = exp(d′c) for rates strictly between 0 and 1."""
    hits, alarms = float(ndtri(hit)), float(ndtri(false_alarm))
    d_prime, criterion = hits - alarms, -(hits + alarms) / 2
    return d_prime, criterion, exp(d_prime * criterion)


def detect(
    scores: Floats, human: Mask, rater: Codes, rng: np.random.Generator, *, high: float, draws: int = 1000
) -> Signal | None:
    """Return how well `scores` (n,) tell `human` (n,) clips from the rest; None when one kind is missing.

    A hit is a human clip with score `high` (answered Human); Unclear counts with Machine. Rates are always
    (count + ½) / (n + 1) (Hautus 1995), so d′ is finite. AUC is the chance that a human clip scores higher, ties
    counting ½.
    """
    levels, grade = np.unique(scores, return_inverse=True)
    raters = int(rater.max()) + 1 if len(rater) else 0
    at = (rater * 2 + human) * len(levels) + grade.reshape(-1)
    counts = np.bincount(at, minlength=raters * 2 * len(levels)).reshape(raters, 2, len(levels)).astype(np.float64)
    said_human = levels >= high
    total = counts.sum(axis=0)
    if not total.sum(axis=1).all():
        return None
    hit, alarm = (float((row[said_human].sum() + 0.5) / (row.sum() + 1)) for row in (total[1], total[0]))
    d_prime, criterion, beta = rates(hit, alarm)
    ends: list[tuple[float, float] | None] = [None, None]
    active = counts[counts.any(axis=(1, 2))]
    if len(active) >= 10:
        picks = rng.multinomial(len(active), np.full(len(active), 1 / len(active)), size=draws)
        drawn = np.tensordot(picks, active, axes=1)
        drawn = drawn[drawn.sum(axis=2).all(axis=1)]
        shares = (drawn[:, :, said_human].sum(axis=2) + 0.5) / (drawn.sum(axis=2) + 1)
        ends = [_middle(ndtri(shares[:, 1]) - ndtri(shares[:, 0])), _middle(_auc(drawn))]
    auc = float(_auc(total[None])[0])
    return Signal(d_prime, criterion, beta, auc, ends[0], ends[1], int(total[1].sum()), int(total[0].sum()))


def per_rater(scores: Floats, human: Mask, rater: Codes, *, high: float) -> dict[int, float | None]:
    """Return {rater: d′}; None below 20 human and 20 synthetic answers."""
    found: dict[int, float | None] = {}
    for person in np.unique(rater):
        own = rater == person
        kinds = [(scores[own & kind] >= high) for kind in (human, ~human)]
        enough = min(len(kind) for kind in kinds) >= LEAST_EACH
        shares = [float((kind.sum() + 0.5) / (len(kind) + 1)) for kind in kinds]
        found[int(person)] = rates(shares[0], shares[1])[0] if enough else None
    return found


def _auc(counts: Floats) -> Floats:
    """Mann–Whitney's U over n·m from counts (b, 2, levels): synthetic first, human second."""
    lower = np.cumsum(counts[:, 0], axis=1) - counts[:, 0] / 2
    wins = (counts[:, 1] * lower).sum(axis=1)
    share: Floats = wins / counts.sum(axis=2).prod(axis=1)
    return share


def _middle(values: Floats) -> tuple[float, float]:
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)

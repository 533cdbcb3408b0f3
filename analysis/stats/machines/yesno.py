"""A machine's scores of trap clips, read as the answer to "is this a human?" (rule F1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from analysis.stats.design import Floats, Mask, NotEstimable
from core.text.words import say

THRESHOLD = 0.5


@dataclass(frozen=True, slots=True)
class YesNo:
    """Counts and figures at a threshold, human being positive.

    `precision` is None when nothing was called human; F1 is then 0. `always` is the F1 of calling everything human.
    """

    hits: int
    misses: int
    false_alarms: int
    rejections: int
    precision: float | None
    recall: float
    f1: float
    balanced: float
    always: float


def at(scores: Floats, human: Mask, threshold: float = THRESHOLD) -> YesNo:
    """Return how `scores` (n,) ≥ threshold tell `human` (n,) from the rest. Raises NotEstimable when one kind lacks."""
    positives, negatives = _kinds(human)
    called = scores >= threshold
    hits, alarms = int((called & human).sum()), int((called & ~human).sum())
    misses = positives - hits
    return YesNo(
        hits,
        misses,
        alarms,
        negatives - alarms,
        precision=hits / (hits + alarms) if hits + alarms else None,
        recall=hits / positives,
        f1=2 * hits / (2 * hits + alarms + misses),
        balanced=(hits / positives + 1 - alarms / negatives) / 2,
        always=2 * positives / (2 * positives + negatives),
    )


def auc(scores: Floats, human: Mask) -> float:
    """Return the chance that a human clip scores above another one, ties counting ½. Raises NotEstimable."""
    positives, negatives = _kinds(human)
    ranks = rankdata(scores)
    return float((ranks[human].sum() - positives * (positives + 1) / 2) / (positives * negatives))


def _kinds(human: Mask) -> tuple[int, int]:
    positives = int(np.count_nonzero(human))
    negatives = len(human) - positives
    if not positives or not negatives:
        raise NotEstimable(say("A yes/no test needs human traps and flawed ones; one kind has no value."))
    return positives, negatives

"""Distinguishing human from machine: d′, bias and AUC."""

from __future__ import annotations

from analysis.sections.shared import Record


class Signal(Record):
    """d′, criterion c, β and AUC over human and synthetic clips, with 95 % intervals that cluster by raters and clips.

    `note` says why there is no interval, or limits its scope.
    """

    name: str
    d_prime: float
    criterion: float
    beta: float
    auc: float
    d_prime_low: float | None
    d_prime_high: float | None
    auc_low: float | None
    auc_high: float | None
    human: int
    synthetic: int
    note: str = ""


class Detection(Record):
    """`overall`, each system against human speech, and d′ of each rater (None with too few answers)."""

    overall: Signal
    systems: tuple[Signal, ...]
    raters: tuple[float | None, ...]
    human_from: str

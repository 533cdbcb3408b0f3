"""d′, bias and AUC."""

from __future__ import annotations

from typing import TypedDict


class Signal(TypedDict):
    """d′, criterion c, β and AUC over human and synthetic clips, with 95 % intervals by raters and clips.

    `note` says why there is no interval, or what else it holds for.
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
    note: str


class Detection(TypedDict):
    """`overall`, each system against human speech, and d′ of single raters who answered enough (None: a dash)."""

    overall: Signal
    systems: list[Signal]
    raters: list[float | None]
    human_from: str

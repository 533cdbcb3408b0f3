"""Checks passed, and drift over a session."""

from __future__ import annotations

from analysis.sections.mixed_models import Coefficient
from analysis.sections.shared import Record


class Trap(Record):
    """A kind of trap, or golden questions: asked, answered correctly, and the share that a pure guesser gets right."""

    key: str
    label: str
    asked: int
    right: int
    share: float


class Drift(Record):
    """A tenth of a session (or a single position in short ones): mean score, and median seconds."""

    first: int
    last: int
    ratings: int
    score: float
    response: float | None


class ExpertWork(Record):
    """What experts did with what raters wrote: which texts, the share that two experts got, and how many are done.

    `codes`: the study's own codes, and whether `built_in` ones were offered too (coding only).
    """

    mode: str
    share: float
    double_share: float
    done: int
    experts: int
    codes: int = 0
    built_in: bool = False


class Quality(Record):
    """Traps, the probability that a guesser passes a batch (None without traps), and drift over the session.

    `slope` is the change of score per position, adjusted for systems, with its interval by raters.
    """

    traps: tuple[Trap, ...]
    batches_valid: int
    batches_decided: int
    guesser: float | None
    drift: tuple[Drift, ...]
    slope: Coefficient | None
    notes: tuple[str, ...]
    review: ExpertWork | None = None
    coding: ExpertWork | None = None

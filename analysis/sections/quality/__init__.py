"""Checks passed, and drift over a session."""

from __future__ import annotations

from analysis.sections.mixed_models import Coefficient
from analysis.sections.shared import Record


class Trap(Record):
    """A kind of trap, or golden questions: asked, rightly answered, and how often a pure guesser would be right."""

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


class Quality(Record):
    """Traps, how often a guesser passes a batch (None without traps), and drift over the session with its slope.

    `slope` is the change of score by one position, adjusted for systems, with its interval by raters.
    """

    traps: tuple[Trap, ...]
    batches_valid: int
    batches_decided: int
    guesser: float | None
    drift: tuple[Drift, ...]
    slope: Coefficient | None
    notes: tuple[str, ...]

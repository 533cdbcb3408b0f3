"""Which of two systems is preferred: shares of all pairs, and strengths of the systems."""

from __future__ import annotations

from analysis.sections.shared import Record
from analysis.stats.figures import PairProbability, SystemStrength


class PairShare(Record):
    """How often `first` was preferred to `second`; `share` leaves out ties. No interval: `note` says why."""

    first: str
    second: str
    wins: int
    losses: int
    ties: int
    share: float | None
    low: float | None
    high: float | None
    note: str = ""


class FirstHeard(Record):
    """How often the clip heard first is preferred where both systems are equal."""

    probability: float
    low: float
    high: float
    p: float


class Preferences(Record):
    """Counts and shares always; the model only if `refused` is empty."""

    pairs: tuple[PairShare, ...] = ()
    systems: tuple[SystemStrength[str], ...] = ()
    probabilities: tuple[PairProbability[str], ...] = ()
    first_heard: FirstHeard | None = None
    tie: float | None = None
    refused: str = ""
    # The same of more questions about the pairs.
    questions: tuple[QuestionPreferences, ...] = ()


class QuestionPreferences(Preferences):
    """The answers to one more question."""

    part: str
    question: str


Preferences.model_rebuild()

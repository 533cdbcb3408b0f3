"""Each scale of a task with several: means by system, correlations, and answers with all scales alike."""

from __future__ import annotations

from analysis.sections.shared import Record


class SystemMean(Record):
    """A system's mean on one scale, in its own unit. No interval: `note` says why."""

    name: str
    kind: str
    mean: float
    low: float | None
    high: float | None
    sd: float
    ratings: int
    raters: int
    clips: int
    note: str = ""
    # Of error rates: all errors over the length of all texts.
    pooled: float | None = None


class ScaleMeans(Record):
    """One scale with all systems, best first; `notes` say how the score is computed."""

    part: str
    name: str
    low: float
    high: float
    unit: str
    systems: tuple[SystemMean, ...]
    notes: tuple[str, ...] = ()


class ChoiceShares(Record):
    """Several choices of one question: how often each was chosen, as means from 0 to 1 with the code as `part`."""

    part: str
    name: str
    choices: tuple[ScaleMeans, ...]


class ScalePair(Record):
    """Pearson's correlation of two scales within raters; None if one of them doesn't vary."""

    first: str
    second: str
    correlation: float | None
    answers: int


class AlikeScales(Record):
    """How many answers have the same point on all of these scales, which have the same points."""

    scales: tuple[str, ...]
    alike: int
    answers: int


class Scales(Record):
    """All scales of the task."""

    means: tuple[ScaleMeans, ...] = ()
    pairs: tuple[ScalePair, ...] = ()
    alike: tuple[AlikeScales, ...] = ()
    shares: tuple[ChoiceShares, ...] = ()

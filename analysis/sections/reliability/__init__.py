"""How reliable raters' means are, raters that stand out, and what single raters and texts change."""

from __future__ import annotations

from typing import Literal

from analysis.sections.shared import Record, Refusal
from analysis.stats.figures import Icc


class Repeated(Record):
    """Medians over raters: the share of answers that repeat the one before, and the longest run."""

    raters: int
    share: float
    longest: float


class Change(Record):
    """Mean of raters' slopes per place in the session, with its interval over raters."""

    raters: int
    mean: float
    low: float
    high: float


class Outstanding(Record):
    """A rater that stands out, by pseudonym or `ERASED`, with a share, a run, or a change per place."""

    rater: str
    answers: int
    sign: Literal["share", "longest", "seconds", "score"]
    value: float


class Course(Record):
    """A rater's course of answers: repeats of the one before, the longest run, and changes per place; None if unknown.

    `rater` is a pseudonym or `ERASED`; `answers` counts those to test clips, for the figure with most of them.
    """

    rater: str
    answers: int
    share: float | None = None
    longest: int | None = None
    seconds: float | None = None
    score: float | None = None


class LeftOut(Record):
    """How often the systems' order changes without one rater, or one text; `names` are the first of those."""

    of: Literal["rater", "text"]
    tried: int
    changed: int
    names: tuple[str, ...]


class Corrected(Record):
    """A system's mean as it is, and from scores corrected for each rater's bias and inconsistency (P.910)."""

    name: str
    kind: str
    raw: float
    corrected: float


class Reliability(Record):
    """`notes` say why a figure is missing."""

    icc: Icc | Refusal
    repeats: Repeated | None
    seconds: Change | None
    score: Change | None
    outstanding: tuple[Outstanding, ...]
    left_out: tuple[LeftOut, ...]
    corrected: tuple[Corrected, ...]
    # Analyses of earlier releases have none.
    courses: tuple[Course, ...] = ()
    notes: tuple[str, ...] = ()

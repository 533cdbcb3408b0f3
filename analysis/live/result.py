"""The figures of a study's page, as a worker stores them and as the page and the API show them.

Groups are named by `name` and `kind`: "" (a system), "human" or "anchor".
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import ConfigDict, Field, ValidationError

from analysis.sections.breakdowns import Breakdown
from analysis.sections.contrasts import Contrasts
from analysis.sections.inputs import SystemTimes
from analysis.sections.mixed_models import Fast
from analysis.sections.shared import Record, Refusal
from analysis.stats.figures import Mean

# Raised when the form changes: figures of an older form are computed again before they are shown.
SCHEMA = 5


class Scale(Record):
    """The score, and whether it says how human a voice is."""

    name: str
    low: float
    high: float
    unit: str
    is_human: bool


class GroupScore(Record):
    """A group's score as `Mean`, `system` telling apart voices of one name; next to it the score without the trap rule.

    Where more raters are asked when the first ones disagree, also the score of the first ones and the mean over raters.
    """

    name: str
    kind: str
    system: str
    ratings: int
    raters: int
    clips: int
    mean: float
    low: float | None
    high: float | None
    method: str
    clip_mean: float
    equal_mean: float
    without_traps: float
    without_traps_ratings: int
    first: float | None = None
    first_ratings: int = 0
    rater_mean: float | None = None
    rater_share: float | None = None


class CrossedRow(Record):
    """A system's score in each column, and their unweighted mean μ over the `of` columns that have one."""

    name: str
    kind: str
    cells: tuple[Mean | None, ...]
    mu: float
    of: int


class Crossed(Record):
    """Systems down; benchmarks or conditions across."""

    columns: tuple[str, ...]
    rows: tuple[CrossedRow, ...]

    @property
    def is_partial(self) -> bool:
        return any(row.of < len(self.columns) for row in self.rows)


class Baseline(Record):
    """How human people sound, as `Mean`; `source` is "test" (human test clips) or "traps"."""

    source: str
    ratings: int
    raters: int
    clips: int
    mean: float
    low: float | None
    high: float | None
    method: str
    clip_mean: float
    equal_mean: float
    rater_share: float | None = None
    rater_mean: float | None = None


class Note(Record):
    """What a rater wrote next to an answer; `prompt` is the question, where there was one."""

    note: str
    code: str
    system: str
    prompt: str | None
    kind: str


class Notes(Record):
    """How many notes there are, and the first of them by system."""

    total: int
    listed: tuple[Note, ...]


class Quota(Record):
    """Different raters and utterances of a system and benchmark."""

    name: str
    kind: str
    benchmark: str
    raters: int
    utterances: int


class QuotaWanted(Record):
    """How many of each are wanted, if any."""

    raters: int | None
    utterances: int | None


class CoverageCell(Record):
    """Ratings of one system and dimension: wanted, usable, and of these the ones up to what each item wants."""

    system: str
    dimension: str
    clips: int
    wanted: int
    usable: int
    filled: int
    reopened: int

    @property
    def level(self) -> int:
        """How near the ratings are to those wanted: 0 to 5, 5 only when all are there."""
        return 5 if self.filled == self.wanted else int(5 * self.filled / self.wanted)


class Coverage(Record):
    """Ratings got and wanted, by system and dimension, and in all."""

    cells: tuple[CoverageCell, ...]
    clips: int
    wanted: int
    usable: int
    filled: int
    reopened: int

    @property
    def surplus(self) -> int:
        return self.usable - self.filled


class Flow(Record):
    """How many sessions came how far."""

    arrived: int
    consented: int
    started: int
    rating: int
    complete: int
    declined: int
    screened_out: int = 0
    # Of those screened out.
    slow_line: int = 0
    withdrawn: int
    # Of figures of an earlier release: none.
    no_place: int = 0


class Batches(Record):
    """How many batches are where."""

    valid: int
    invalid: int
    waiting: int
    open: int
    expired: int
    closed: int

    @property
    def decided(self) -> int:
        return self.valid + self.invalid


class TrapAnswers(Record):
    """How a kind of trap was answered, over every full batch."""

    role: str
    asked: int
    right: int
    share: float | None


class RaterRule(Record):
    """The task's own rule on raters: the sessions that it cost, and how golden questions were answered."""

    name: str
    lost: int
    asked: int
    right: int


class Scored(Record):
    """When scores, models, times, notes and coverage were computed, and of how many ratings."""

    at: datetime
    answers: int


class Minutes(Record):
    """The median duration of the complete sessions."""

    median: float | None
    sessions: int


class Figures(Record):
    """Everything; `model` and `contrasts` are None before a rating counts.

    Intervals cluster by raters, and besides by `pieces`: "clip", "text", or "raters" (by nothing else).
    """

    model_config = ConfigDict(populate_by_name=True)

    version: int = Field(alias="schema")
    scale: Scale
    scored: Scored
    scores: dict[str, tuple[GroupScore, ...]]
    first_raters: int | None
    crossed: dict[str, Crossed]
    pieces: str
    model: Fast | Refusal | None
    contrasts: Contrasts | Refusal | None
    # As in `sections.results`: patterns and values of the sentences of `model` and `contrasts`, to translate them.
    sentences: dict[str, Any] = {}
    baseline: Baseline | None
    breakdowns: tuple[Breakdown, ...]
    notes: Notes
    quota: tuple[Quota, ...] | None
    quota_wanted: QuotaWanted
    times: tuple[SystemTimes, ...]
    coverage: Coverage
    people: Flow
    answers: int
    simulated_sessions: int
    active: int
    batches: Batches
    guesser: float
    traps: tuple[TrapAnswers, ...]
    rule: RaterRule | None
    review_pending: int = 0
    minutes: Minutes


def load(stored: Mapping[str, Any]) -> Figures | None:
    """Return stored figures; None where there are none in the present form, so that they are computed again."""
    try:
        figures = Figures.model_validate(stored)
    except ValidationError:
        return None
    return figures if figures.version == SCHEMA else None

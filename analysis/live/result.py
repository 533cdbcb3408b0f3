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
from analysis.sections.shared import Record, Refusal, Scale
from analysis.stats.figures import Mean

# Raise when the format changes: figures in an older format are computed again before they are shown.
SCHEMA = 5


class Measured(Record):
    """The fields of a `Mean`."""

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


class GroupScore(Measured):
    """A group's score, and the score without the trap rule; `system` distinguishes voices of the same name.

    If disagreement asks for more raters, also the score from the first ones and the mean over raters.
    """

    name: str
    kind: str
    system: str
    without_traps: float
    without_traps_ratings: int
    first: float | None = None
    first_ratings: int = 0


class CrossedRow(Record):
    """A system's score in each column, and their unweighted mean μ over the `of` columns that have one.

    `seen` is true in the columns of benchmarks that the system was trained on; empty in figures of an earlier release.
    """

    name: str
    kind: str
    cells: tuple[Mean | None, ...]
    mu: float
    of: int
    seen: tuple[bool, ...] = ()

    @property
    def marked(self) -> list[tuple[Mean | None, bool]]:
        """Return each cell, and whether it gets a star."""
        return list(zip(self.cells, self.seen or [False] * len(self.cells), strict=True))


class Crossed(Record):
    """Scores by system (rows) and benchmark or condition (columns)."""

    columns: tuple[str, ...]
    rows: tuple[CrossedRow, ...]

    @property
    def is_partial(self) -> bool:
        return any(row.of < len(self.columns) for row in self.rows)

    @property
    def has_seen(self) -> bool:
        return any(any(row.seen) for row in self.rows)


class Baseline(Measured):
    """The score of human speech; `source` is "test" (human test clips) or "traps"."""

    source: str


class Note(Record):
    """A note that a rater wrote with an answer; `prompt` is the question, if there was one."""

    note: str
    code: str
    system: str
    prompt: str | None
    kind: str


class Notes(Record):
    """The number of notes, and the first of them by system."""

    total: int
    listed: tuple[Note, ...]


class Quota(Record):
    """The number of different raters and utterances of a system and benchmark."""

    name: str
    kind: str
    benchmark: str
    raters: int
    utterances: int


class QuotaWanted(Record):
    """The quota of each, if any."""

    raters: int | None
    utterances: int | None


class CoverageCell(Record):
    """Ratings of one system and dimension: wanted, usable, and usable ones that fill a wanted place."""

    system: str
    dimension: str
    clips: int
    wanted: int
    usable: int
    filled: int
    reopened: int

    @property
    def level(self) -> int:
        """Share of wanted ratings reached, from 0 to 5; 5 only if all are there."""
        return 5 if self.filled == self.wanted else int(5 * self.filled / self.wanted)


class Coverage(Record):
    """Usable and wanted ratings, by system and dimension, and in all."""

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
    """Sessions by the stage they reached."""

    arrived: int
    consented: int
    started: int
    rating: int
    complete: int
    declined: int
    screened_out: int = 0
    # Part of `screened_out`.
    slow_line: int = 0
    withdrawn: int
    # Missing in figures of an earlier release.
    no_place: int = 0


class Batches(Record):
    """Batches by state."""

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
    """How often a kind of trap was asked and answered correctly, over every full batch."""

    role: str
    asked: int
    right: int
    share: float | None


class RaterRule(Record):
    """The task's own rule on raters: the sessions it excluded, and the answers to golden questions."""

    name: str
    lost: int
    asked: int
    right: int


class Scored(Record):
    """When scores, models, times, notes and coverage were computed, and from how many ratings."""

    at: datetime
    answers: int


class Minutes(Record):
    """The median duration of the complete sessions."""

    median: float | None
    sessions: int


class Figures(Record):
    """All figures of the page; `model` and `contrasts` are None before a rating counts.

    Intervals cluster by raters and by `pieces`: "clip", "text", or "raters" (raters only).
    """

    model_config = ConfigDict(populate_by_name=True)

    version: int = Field(alias="schema")
    scale: Scale
    scored: Scored
    scores: dict[str, tuple[GroupScore, ...]]
    # Of tasks that compare systems: the baseline of all of them; empty if systems met several others.
    over: str | None = None
    first_raters: int | None
    crossed: dict[str, Crossed]
    pieces: str
    model: Fast | Refusal | None
    contrasts: Contrasts | Refusal | None
    # As in `sections.results`: the sentences of `model` and `contrasts` as patterns and values, for translation.
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
    # Sessions of people who tried the study out; figures of an earlier release count them as simulated.
    test_runs: int = 0
    active: int
    batches: Batches
    guesser: float | None
    traps: tuple[TrapAnswers, ...]
    rule: RaterRule | None
    review_pending: int = 0
    minutes: Minutes


def load(stored: Mapping[str, Any]) -> Figures | None:
    """Return stored figures; None if there are none in the current format, so that they are computed again."""
    try:
        figures = Figures.model_validate(stored)
    except ValidationError:
        return None
    return figures if figures.version == SCHEMA else None

"""The inputs of every section of an analysis: ratings and other facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar
from zlib import crc32

import numpy as np

from analysis.data import frame
from analysis.data.groups import ANCHOR, HUMAN
from analysis.sections.breakdowns import Breakdown
from analysis.sections.metrics import Metrics
from analysis.sections.participants import Attention
from analysis.sections.plan import CollectedPlan
from analysis.sections.quality import ExpertWork
from analysis.sections.shared import Record, Refusal, Scale
from analysis.stats.design import Codes, Design, Floats, NotEstimable
from core.text.words import say

if TYPE_CHECKING:
    from pandas import DataFrame

    from studies.definition.definition import Definition
    from studies.task_types.base import AnyTaskType

Made = TypeVar("Made")
# Sentences on systems that are left out; more systems are only counted.
MOST_LEFT_OUT = 8
# A system's name and kind, as in results.
Name = tuple[str, str]


class Sessions(Record):
    """The number of sessions with the same course; `rated`: a test clip was rated, `counts`: some ratings count."""

    stage: int
    end: str
    check: str
    rated: bool
    counts: bool
    sessions: int


class CheckCounts(Record):
    """The results of a check, before the first clip or `later`: decided, failed, and sessions that it ended."""

    name: str
    later: bool
    decided: int
    failed: int
    left: int


class TrapAnswers(Record):
    """How often a kind of trap, or golden questions, were asked and answered correctly."""

    key: str
    asked: int
    right: int


class HumanTraps(Record):
    """Scores of human traps with their raters and clips, in columns of equal length."""

    rater: tuple[int, ...]
    clip: tuple[int, ...]
    score: tuple[float, ...]


class TwoRatings(Record):
    """First and second ratings of repeated trials in one part of the answers, in columns of equal length."""

    part: str
    rater: tuple[int, ...]
    first: tuple[float, ...]
    again: tuple[float, ...]
    first_code: tuple[str, ...]
    again_code: tuple[str, ...]


class Took(Record):
    """Seconds per clip, over the `known` clips with a time."""

    median: float
    mean: float
    known: int


class SystemTimes(Record):
    """Times of a system's clips ("" = all); None if unknown."""

    name: str
    kind: str
    clips: int
    response: Took | None
    decision: Took | None


class CollectedFacts(Record):
    """The study, its sessions and checks, and answers besides the score.

    `minutes` of complete sessions. `guesser`: the probability that a pure guesser passes a batch. `about` counts raters
    by question and code of the questionnaire, if there is one. `accepted`: sentences on the audit's findings that the
    study compares on purpose. `first_trials`: those of the first raters, if disagreement asks for more.
    `screening_changed`: the versions' checks differ.
    """

    slug: str
    title: str
    launched_at: str | None
    minutes: tuple[float, ...]
    batches: dict[str, int]
    about: dict[str, dict[str, int]] | None = None
    accepted: tuple[str, ...] | None = None
    guesser: float | None
    traps: tuple[TrapAnswers, ...]
    human_traps: HumanTraps
    breakdowns: tuple[Breakdown, ...]
    times: tuple[SystemTimes, ...]
    pending: int
    first_trials: tuple[int, ...] | None
    ways: tuple[Sessions, ...]
    checks: tuple[CheckCounts, ...]
    attention: Attention
    screening_changed: bool
    metrics: Metrics
    # If the study repeats trials.
    repeats: tuple[TwoRatings, ...] | None = None
    # Experts' work on what raters wrote: "review" and "coding", where the study has them.
    experts: dict[str, ExpertWork] = {}
    # The plan fixed at the launch; None before one.
    plan: CollectedPlan | None = None
    # For tasks that compare systems: the baseline of all of them; empty if systems met several others.
    over: str | None = None


Computed = TypeVar("Computed")


@dataclass(frozen=True, slots=True)
class Settings:
    """The choices for an analysis: which sessions, which versions (numbers), and the seed of all draws."""

    simulated: str
    versions: tuple[int, ...]
    seed: int
    draws: int
    sections: tuple[str, ...]

    @property
    def as_json(self) -> dict[str, Any]:
        return {
            "simulated": self.simulated,
            "versions": list(self.versions),
            "seed": self.seed,
            "draws": self.draws,
            "sections": list(self.sections),
        }


@dataclass(frozen=True)
class AnalysisInput:
    """A study's definition, its ratings (`data.frame.scores`), and `facts` other than ratings.

    `sides` has each rating from both sides (`data.sides`), if systems were compared with several others.
    `outcomes` are the same of other parts of the answers that have a mean or several choices.
    """

    definition: Definition
    frame: DataFrame
    facts: CollectedFacts
    settings: Settings
    sides: DataFrame | None = None
    outcomes: Mapping[str, DataFrame] = field(default_factory=dict)
    # A rater's pseudonym, as in exports.
    pseudonym: Callable[[int], str] = str

    @property
    def kind(self) -> AnyTaskType:
        return self.definition.kind

    @cached_property
    def scale(self) -> Scale:
        return Scale.of(self.kind.score)

    @property
    def width(self) -> float:
        return self.scale.high - self.scale.low

    @property
    def margin(self) -> float | None:
        """The margin of non-inferiority in the unit of stored scores."""
        margin = self.definition.results.margin
        return None if margin is None else margin / self.kind.score.factor

    @cached_property
    def tests(self) -> DataFrame:
        """The ratings that count."""
        return frame.counted(self.frame)

    @cached_property
    def compared(self) -> DataFrame:
        """The ratings of systems and human speech that count, without anchors."""
        rows = self.tests
        return rows[(rows["kind"] != ANCHOR).to_numpy()]

    @cached_property
    def _made(self) -> dict[Any, Any]:
        return {}

    def once(self, make: Callable[[AnalysisInput], Made]) -> Made:
        """Return what several sections need: `make` of these inputs, computed the first time."""
        if make not in self._made:
            self._made[make] = make(self)
        made: Made = self._made[make]
        return made

    @cached_property
    def tried(self) -> DataFrame:
        """All ratings of test items, whether they count or not."""
        return self.frame[~self.frame["role"].isin(frame.TRAPS).to_numpy()]

    @cached_property
    def by_system(self) -> DataFrame:
        """The ratings that count, once for each system that they are about; only for figures of one system."""
        return self.tests if self.sides is None else frame.counted(self.sides)

    @cached_property
    def tried_by_system(self) -> DataFrame:
        """All ratings of test items, once for each system that they are about."""
        return self.tried if self.sides is None else self.sides

    def rng(self, section: str) -> np.random.Generator:
        """Return a generator for this section only, so that its draws don't depend on other sections."""
        return seeded_rng(self.settings.seed, section)


def seeded_rng(seed: int, section: str) -> np.random.Generator:
    """Return the generator of a section for an analysis with this seed."""
    return np.random.default_rng([seed, crc32(section.encode())])


def systems_of(rows: DataFrame) -> tuple[Codes, list[Name]]:
    """Return each row's system as a code, and the systems in order of the codes."""
    codes, labels = coded(rows, ("system", "kind"))
    return codes, [(name, kind) for name, kind in labels]


def coded(rows: DataFrame, columns: Sequence[str]) -> tuple[Codes, list[tuple[str, ...]]]:
    """Return a code (n,) for each occurring combination of text columns, and the combinations in order of the codes."""
    total = np.zeros(len(rows), dtype=np.int64)
    levels = [rows[name].cat.categories for name in columns]
    for name, known in zip(columns, levels, strict=True):
        total = total * max(len(known), 1) + rows[name].cat.codes.to_numpy().astype(np.int64)
    different, codes = np.unique(total, return_inverse=True)
    labels = []
    for value in different:
        parts = []
        for known in reversed(levels):
            value, at = divmod(int(value), max(len(known), 1))
            parts.append(str(known[at]))
        labels.append(tuple(reversed(parts)))
    return codes.reshape(-1).astype(np.int64), labels


def design_of(rows: DataFrame, covariates: Floats | None = None) -> tuple[Design, list[Name]]:
    """Return ratings as input for models, and the names of their systems; NotEstimable without ratings."""
    systems, names = systems_of(rows)
    clip = rows["clip"].to_numpy()
    ratings = Design.of(rows["score"].to_numpy(), rows["rater"].to_numpy(), systems, clip, texts(rows), covariates)
    return ratings, names


def texts(rows: DataFrame) -> Codes:
    """Return a code (n,) of each row's text; a clip without a text gets one of its own."""
    text = rows["text"].cat.codes.to_numpy().astype(np.int64)
    levels = list(rows["text"].cat.categories)
    unknown = levels.index("") if "" in levels else -1
    return np.where(text == unknown, -1 - rows["clip"].to_numpy(), text).astype(np.int64)


def called(name: str) -> str:
    """Return a system’s name for use in a sentence."""
    return say("Human") if name == HUMAN else name


def left_out_notes(reasons: Mapping[Name, str]) -> list[str]:
    """Return a sentence for each system that is left out; after the first ones, their number."""
    sentences = [
        say("{system} is left out: {why}", system=called(name), why=reason) for (name, _kind), reason in reasons.items()
    ]
    more = len(sentences) - MOST_LEFT_OUT
    if more < 2:
        return sentences
    return [*sentences[:MOST_LEFT_OUT], say("{n} more systems are left out for such reasons.", n=more)]


def guarded(section: Callable[[], Computed]) -> Computed | Refusal:
    """Return a section, or a `Refusal` if it can't be computed."""
    try:
        return section()
    except NotEstimable as error:
        return Refusal(refused=str(error))

"""What an analysis is made from besides ratings; with them it makes up the fingerprint of the inputs."""

from __future__ import annotations

from analysis.sections.breakdowns.result import Breakdown
from analysis.sections.metrics.result import Metrics
from analysis.sections.participants.result import Attention
from analysis.sections.shared import Record


class Sessions(Record):
    """So many sessions that went the same way; `rated` a test clip, and gave answers that `count`."""

    stage: int
    end: str
    check: str
    rated: bool
    counts: bool
    sessions: int


class Check(Record):
    """How often a check was decided, before the first clip or `later`, how often not passed, and who left by it."""

    name: str
    later: bool
    decided: int
    failed: int
    left: int


class TrapAnswers(Record):
    """How often a kind of trap, or golden questions, were asked and rightly answered."""

    key: str
    asked: int
    right: int


class HumanTraps(Record):
    """Scores of human traps with their raters and clips, in columns of equal length."""

    rater: tuple[int, ...]
    clip: tuple[int, ...]
    score: tuple[float, ...]


class Took(Record):
    """Seconds that a clip took, of those clips where they are `known`."""

    median: float
    mean: float
    known: int


class SystemTimes(Record):
    """How long the clips of a system took ("" = all); None where not known."""

    name: str
    kind: str
    clips: int
    response: Took | None
    decision: Took | None


class Facts(Record):
    """The study, its sessions and checks, and what was answered besides the score.

    `minutes` of complete sessions; `guesser` passes a batch with this probability; `about` counts raters by question
    and code of the questionnaire, where there is one; `first_trials` are those of the first raters, where more are
    asked when these disagree; `screening_changed`: the versions don't have the same checks.
    """

    slug: str
    title: str
    launched_at: str | None
    minutes: tuple[float, ...]
    batches: dict[str, int]
    about: dict[str, dict[str, int]] | None = None
    guesser: float | None
    traps: tuple[TrapAnswers, ...]
    human_traps: HumanTraps
    breakdowns: tuple[Breakdown, ...]
    times: tuple[SystemTimes, ...]
    pending: int
    first_trials: tuple[int, ...] | None
    ways: tuple[Sessions, ...]
    checks: tuple[Check, ...]
    attention: Attention
    screening_changed: bool
    metrics: Metrics

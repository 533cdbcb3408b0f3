"""The study, its inputs, its people."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class Refused(TypedDict):
    """What can't be estimated, and why, in a sentence."""

    refused: str


class Scale(TypedDict):
    """The score: as `Score` of the task type. `codes` {canonical code: name} are its answers, empty for numbers."""

    name: str
    low: float
    high: float
    unit: str
    is_human: bool
    codes: dict[str, str]


class Study(TypedDict):
    """Which study, which of its versions, and whose sessions (`simulated`: without, with, only)."""

    slug: str
    title: str
    preset: str
    task_type: str
    task: str
    language: str
    launched_at: str | None
    versions: list[int]
    simulated: str
    scale: Scale


class Inputs(TypedDict):
    """What the figures were made from: the same fingerprint, code, seed and settings give the same figures."""

    fingerprint: str
    ratings: int
    counted: int
    code_version: str
    seed: int
    settings: dict[str, Any]


class Thing(TypedDict):
    """A system and what was heard of it among the ratings that count."""

    name: str
    kind: str
    clips: int
    texts: int
    voices: list[str]
    raters: int
    ratings: int


class Design(TypedDict):
    """The plan: protocol as key and value, task parameters, systems, and in sentences what it means for the figures.

    `pieces` is "text" where systems share texts, else "clip": what stands beside raters in the default interval.
    "raters" where they share too few texts, and raters count alone.
    `margin` is that of non-inferiority, fixed at the launch; None: none was.
    """

    protocol: dict[str, Any]
    parameters: dict[str, Any]
    systems: list[Thing]
    clips: int
    texts: int
    raters: int
    dimensions: list[str]
    benchmarks: list[str]
    languages: list[str]
    human_tests: bool
    pieces: str
    margin: float | None
    scope: list[str]


class Step(TypedDict):
    """A stage of the way of people through the study; `is_exit`: people leave here, `is_entry`: they come in."""

    key: str
    label: str
    count: int
    is_exit: bool
    is_entry: NotRequired[bool]


class CheckCount(TypedDict):
    """A check, before the first clip or `later`: results, those passed and not passed, and sessions that left by it."""

    name: str
    label: str
    later: bool
    decided: int
    passed: int
    failed: int
    left: int


class Attention(TypedDict):
    """Fair attention checks: how many were answered and failed, and by how many sessions."""

    asked: int
    failed: int
    sessions: int
    sessions_failed: int


class Participants(TypedDict):
    """The flow of sessions: arrived, consented, started, complete, analysed (the stages' keys), exits between them.

    Each stage is the one before, less the exits, plus the entries; an exit's key is its stage, how it ended, and the
    check. `screening_changed`: the pooled versions don't have the same checks. `about` has raters by question and code
    of the questionnaire, where there was one, rare answers put together; own questions are left out.
    """

    steps: list[Step]
    raters: int
    minutes_median: float | None
    minutes_sessions: int
    batches: dict[str, int]
    checks: NotRequired[list[CheckCount]]
    attention: NotRequired[Attention]
    screening_changed: NotRequired[bool]
    about: NotRequired[dict[str, dict[str, int]]]


class Exclusion(TypedDict):
    """A rule and how many test ratings of how many raters it takes out, on its own or along with others."""

    reason: str
    label: str
    ratings: int
    raters: int
    alone: int


class Exclusions(TypedDict):
    """Test ratings given, those that count, and why the others don't; `pending` reasons await an expert."""

    given: int
    counted: int
    raters_given: int
    raters_counted: int
    reasons: list[Exclusion]
    pending: int
    late: int
    surplus: int

"""The flow of sessions, their checks, and who raters say they are."""

from __future__ import annotations

from typing import NotRequired, TypedDict


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

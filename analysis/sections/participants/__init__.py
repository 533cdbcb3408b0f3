"""Who took part, and how far they came."""

from __future__ import annotations

from analysis.sections.shared import Record


class Step(Record):
    """A stage of the way of people through the study; `is_exit`: people leave here, `is_entry`: they come in."""

    key: str
    label: str
    count: int
    is_exit: bool
    is_entry: bool = False


class CheckCount(Record):
    """A check, before the first clip or `later`: results, those passed and not passed, and sessions that left by it."""

    name: str
    later: bool
    decided: int
    failed: int
    left: int
    label: str
    passed: int


class Attention(Record):
    """Fair attention checks: how many were answered and failed, and by how many sessions."""

    asked: int
    failed: int
    sessions: int
    sessions_failed: int


class Participants(Record):
    """The flow of sessions: arrived, consented, started, complete, analysed (the stages' keys), exits between them.

    Each stage is the one before, less the exits, plus the entries; an exit's key is its stage, how it ended, and the
    check. `screening_changed`: the pooled versions don't have the same checks. `about` has raters by question and code
    of the questionnaire, where there was one, rare answers put together; own questions are left out.
    """

    steps: tuple[Step, ...]
    raters: int
    minutes_median: float | None
    minutes_sessions: int
    batches: dict[str, int]
    checks: tuple[CheckCount, ...] = ()
    attention: Attention | None = None
    screening_changed: bool = False
    about: dict[str, dict[str, int]] = {}

"""Participants, and how far they came."""

from __future__ import annotations

from analysis.sections.shared import Record


class Step(Record):
    """A stage in the flow of participants, or between stages an exit (`is_exit`) or entry (`is_entry`)."""

    key: str
    label: str
    count: int
    is_exit: bool
    is_entry: bool = False


class CheckCount(Record):
    """A check, before the first clip or `later`: its results, passed and failed, and the sessions that it ended."""

    name: str
    later: bool
    decided: int
    failed: int
    left: int
    label: str
    passed: int


class Attention(Record):
    """Fair attention checks: how many were answered and failed, and in how many sessions."""

    asked: int
    failed: int
    sessions: int
    sessions_failed: int


class Participants(Record):
    """The flow of sessions: arrived, consented, started, complete, analysed (the stages' keys), and exits.

    Each stage is the previous one minus exits plus entries. An exit's key joins its stage, the way it ended, and the
    check. `screening_changed`: the pooled versions' checks differ. `about` has raters by question and code of the
    questionnaire, if there is one; rare answers are merged, and the study's own questions are left out.
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

"""Attention checks: when they are due, and storage of the answers."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from raters.people import rules as people_rules
from raters.people.models import Session
from raters.rating import hooks
from raters.rating.models import Batch
from raters.sessions.models import CheckResult, FairCheck
from raters.sessions.screening.attention import AttentionCheck, question_and_answers

if TYPE_CHECKING:
    from raters.sessions.screening.base import Step
    from studies.definition.definition import Definition


def due(*, session: Session, definition: Definition) -> AttentionCheck | None:
    """Return the check due now, for a session without an open batch; no query in studies without attention checks."""
    settings = definition.screening
    if not settings.attention:
        return None
    checks_so_far = CheckResult.objects.filter(session=session, name=AttentionCheck.name).count()
    rated = Batch.objects.filter(session=session).count()
    return (
        AttentionCheck(checks_so_far)
        if checks_so_far < min(len(settings.attention), rated // settings.attention_every)
        else None
    )


def is_lost(*, session: Session, definition: Definition) -> bool:
    """True if the study ends sessions after failed attention checks, and enough failed for a rejection."""
    if definition.screening.attention_failed != "screen_out":
        return False
    failed = FairCheck.objects.filter(session=session, passed=False).count()
    return failed >= people_rules.failures_needed(_minutes(session))


def _minutes(session: Session) -> int | None:
    """Return the announced duration in minutes: the platform's, or the one in the current settings."""
    answers = (minutes(session) for minutes in hooks.minutes_told)
    return next(filter(None, answers), session.study.definition.payment.minutes)


def store_answer(*, result: CheckResult, definition: Definition, step: Step, language: str, now: datetime) -> FairCheck:
    """Store a fair check's question and answer, in the words shown to the rater."""
    text, choices = question_and_answers(definition, step, language)
    return store_check(
        session_id=result.session_id,
        kind=FairCheck.Kind(definition.screening.fair[step["number"]].kind),
        block=people_rules.block_name(result.round),
        asked=text,
        answered=choices[result.answers[-1][-1]["chosen"]],
        passed=bool(result.passed),
        now=now,
    )


def store_check(
    *, session_id: int, kind: FairCheck.Kind, block: str, asked: str, answered: str, passed: bool, now: datetime
) -> FairCheck:
    """Store one check. Several questions of one block count as one check, which fails if any of them fails.

    Only for instructions to give a certain answer, and for nonsensical items; never for traps, golden questions,
    headphone tests or comprehension questions, which must not lead to rejections.
    """
    columns = {"kind": kind, "asked": asked[:500], "answered": answered[:500], "passed": passed, "at": now}
    row, is_new = FairCheck.objects.get_or_create(session_id=session_id, block=block, defaults=columns)
    if not is_new and row.passed and not passed:
        FairCheck.objects.filter(pk=row.pk, passed=True).update(**columns)
        row.refresh_from_db()
    return row

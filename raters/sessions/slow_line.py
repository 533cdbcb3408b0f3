"""Raters who leave before their first answer, because the line test told them how long they would wait."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import F

from raters.people.models import Session
from raters.rating import finishing
from raters.rating.models import CLOSED, EXPIRED, Answer, Batch
from raters.sessions.models import CheckResult

# Of the result next to those of checks, by which exports and analyses count these sessions.
NAME, VERSION = "line", 1


@transaction.atomic
def leave(*, session_id: int, now: datetime) -> None:
    """End a session as screened out, and note why; once it has an answer, change nothing."""
    session = finishing.locked(session_id)
    if session.step != Session.Step.RATING or Answer.objects.filter(trial__batch__session=session).exists():
        return
    began = session.started_at or now
    result = {"rule_version": VERSION, "answers": [[{"right": False}]], "right": 0, "of": 1, "passed": False}
    CheckResult.objects.create(session=session, name=NAME, began_at=began, at=now, **result)
    finishing.finish(session, outcome=Session.Outcome.SCREENED_OUT, now=now)


def has_left(session: Session) -> bool:
    """True if this session ended because its rater left for a slow line."""
    is_screened_out = session.outcome == Session.Outcome.SCREENED_OUT
    return is_screened_out and CheckResult.objects.filter(session=session, name=NAME).exists()


def undo(session: Session) -> None:
    """Give the rater of a locked session, who has returned, the batch back that was open; its answers are late."""
    CheckResult.objects.filter(session=session, name=NAME).delete()
    # Without an answer, only leaving has closed a batch.
    closed = Batch.objects.filter(session=session, state=CLOSED)
    closed.update(state=EXPIRED, expired_at=F("ended_at"), ended_at=None)

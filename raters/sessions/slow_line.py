"""Raters who leave before their first answer because the connection test predicted long waits."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import F

from raters.people.models import Session
from raters.rating import finishing
from raters.rating.models import CLOSED, EXPIRED, Answer, Batch
from raters.sessions.models import CheckResult

# Name and version of the stored result; exports and analyses count these sessions by it.
NAME, VERSION = "line", 1


@transaction.atomic
def leave(*, session_id: int, now: datetime) -> None:
    """End a session as screened out, with a result stating why; does nothing once it has an answer."""
    session = finishing.locked(session_id)
    if session.step != Session.Step.RATING or Answer.objects.filter(trial__batch__session=session).exists():
        return
    began = session.started_at or now
    result = {"rule_version": VERSION, "answers": [[{"right": False}]], "right": 0, "of": 1, "passed": False}
    CheckResult.objects.create(session=session, name=NAME, began_at=began, at=now, **result)
    finishing.finish(session, outcome=Session.Outcome.SCREENED_OUT, now=now)


def has_left(session: Session) -> bool:
    """True if this session ended because of a slow connection."""
    is_screened_out = session.outcome == Session.Outcome.SCREENED_OUT
    return is_screened_out and CheckResult.objects.filter(session=session, name=NAME).exists()


def undo(session: Session) -> None:
    """Reopen the batch of a returning rater's locked session; its answers are late."""
    CheckResult.objects.filter(session=session, name=NAME).delete()
    # In a session without answers, only leaving closes a batch.
    closed = Batch.objects.filter(session=session, state=CLOSED)
    closed.update(state=EXPIRED, expired_at=F("ended_at"), ended_at=None)

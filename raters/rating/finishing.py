"""Lock and end sessions."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from core.database.prepared import Objects, Parameter
from core.errors import NotFound
from raters.people.models import OVER, PAYABLE, Session
from raters.rating import trust
from raters.rating.models import CLOSED, EXPIRED, OPEN, Answer, Batch
from raters.rating.settling import settle
from studies.definition import facts

LOCK = Objects(Session, lambda: Session.objects.select_for_update().filter(pk=Parameter("session")))


def locked(session_id: int) -> Session:
    """Lock a session's row for the rest of the transaction; raises `NotFound`."""
    sessions = LOCK(session=session_id)
    if not sessions:
        raise NotFound("There is no such session.")
    return sessions[0]


@transaction.atomic
def leave(*, session_id: int, outcome: Session.Outcome, now: datetime) -> Session:
    """End a session early with this outcome; an ended session keeps its outcome.

    Answers are kept, and places are released.
    """
    session = locked(session_id)
    if session.step not in OVER:
        finish(session, outcome=outcome, now=now)
    return session


def withdraw(*, session_id: int, now: datetime) -> Session:
    """End a session because the rater wants to leave."""
    return leave(session_id=session_id, outcome=Session.Outcome.WITHDRAWN, now=now)


def is_payable(outcome: Session.Outcome, study_id: int) -> bool | None:
    """True if this outcome is paid in this study; None if a person decides."""
    if outcome == Session.Outcome.NO_PLACE:
        return facts.payment(study_id).fixed_rate(outcome) > 0
    return PAYABLE.get(outcome)


def finish_rated(session: Session, *, now: datetime) -> Session:
    """End a locked session that gets no more batches: complete, unless nothing was answered (rule A11).

    A preview is complete even if all its clips were skipped.
    """
    if not Batch.objects.filter(session=session).exists():
        outcome = Session.Outcome.NO_PLACE
    elif session.preview or Answer.objects.filter(trial__batch__session=session).exists():
        outcome = Session.Outcome.COMPLETE
    else:
        # Every clip of its batches failed to load.
        outcome = Session.Outcome.TECHNICAL_FAILURE
    return finish(session, outcome=outcome, now=now)


def finish(session: Session, *, outcome: Session.Outcome, now: datetime) -> Session:
    """End a locked session, close its unfinished batches and release their places.

    After a complete session, a questionnaire may follow; it doesn't change the outcome.
    """
    is_asked = outcome == Session.Outcome.COMPLETE and facts.frozen(session.version_id).definition.questionnaire.is_on
    session.step = Session.Step.QUESTIONS if is_asked else Session.Step.ENDED
    session.outcome = outcome
    # Simulated sessions, previews and rejected submissions are never paid.
    is_owed_nothing = session.simulated or session.payable is False
    session.payable = False if is_owed_nothing else is_payable(outcome, session.study_id)
    session.ended_at = now
    session.save(update_fields=["step", "outcome", "payable", "ended_at"])
    unfinished = Batch.objects.filter(session=session, state__in=[OPEN, EXPIRED])
    closing = list(unfinished.values_list("pk", flat=True))
    unfinished.update(state=CLOSED, lease_until=None, ended_at=now)
    settle(batch_ids={*closing, *trust.judge(session=session, now=now)})
    return session

"""Checks between batches: volume and headphones again, or an attention check."""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random

from raters.people.models import Session
from raters.rating import batches
from raters.sessions import attention, screening
from raters.sessions.checks import ask
from studies.definition import facts
from studies.definition.definition import Definition


def begin(*, session: Session, now: datetime, rng: Random) -> bool:
    """Send a locked session to its checks between batches if any are due; return whether it did.

    Called before a batch is opened. If both are due, volume and headphones come first, and the attention check comes
    before the batch after that.
    """
    definition = facts.frozen(session.version_id).definition
    is_again = _is_due(session, definition, now)
    question = None if is_again else attention.due(session=session, definition=definition)
    if not is_again and question is None:
        return False
    # No check unless another batch follows.
    if batches.is_over(session) or not (session.simulated or facts.by_id(session.study_id).is_live):
        return False
    if question is not None and not batches.has_next_batch(session=session, now=now):
        return False
    session.rechecks += 1
    session.step = Session.Step.CHECKS
    session.save(update_fields=["rechecks", "step"])
    if question is not None:
        ask(session=session, check=question, now=now, rng=rng)
    return True


def _is_due(session: Session, definition: Definition, now: datetime) -> bool:
    """True if volume and headphones are to be checked again; never for simulated raters."""
    minutes = definition.screening.recheck_minutes
    since = session.checked_at or session.started_at
    if minutes is None or since is None or now - since < timedelta(minutes=minutes):
        return False
    is_program = session.simulated and not session.preview
    return not is_program and bool(screening.rechecks_of(definition))

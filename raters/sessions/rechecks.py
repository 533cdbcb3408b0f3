"""Checks between two batches: volume and headphones again, or an attention check."""

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
    """Lead a locked session that has just finished a batch to its checks, if they are due; return whether they are.

    Asked where a batch would be opened, and no answer before that costs anything: until they are due, no query does.
    Where both are due in one gap, ears come first, and the question when the next batch would be opened.
    """
    definition = facts.frozen(session.version_id).definition
    is_again = _is_due(session, definition, now)
    question = None if is_again else attention.due(session=session, definition=definition)
    if not is_again and question is None:
        return False
    # No check before a batch that will not be opened.
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
    """Return whether volume and headphones are to be checked again; never for simulated raters."""
    minutes = definition.screening.recheck_minutes
    since = session.checked_at or session.started_at
    if minutes is None or since is None or now - since < timedelta(minutes=minutes):
        return False
    is_program = session.simulated and not session.preview
    return not is_program and bool(screening.rechecks_of(definition))

"""Volume and headphones once more after a set time, between two batches."""

from __future__ import annotations

from datetime import datetime, timedelta

from raters import screening
from raters.models import Session
from raters.services import batches
from studies.selectors import facts


def begin(*, session: Session, now: datetime) -> bool:
    """Lead a locked session that has just finished a batch to its checks, if they are due; return whether they are.

    Asked where a batch would be opened, and no answer before that costs anything: until they are due, no query does.
    """
    definition = facts.frozen(session.version_id).definition
    minutes = definition.screening.recheck_minutes
    since = session.checked_at or session.started_at
    if minutes is None or since is None or now - since < timedelta(minutes=minutes):
        return False
    is_program = session.simulated and not session.preview
    if is_program or not screening.again(definition):
        return False
    # Nobody is checked for nothing: a study that has stopped shows no further batch.
    if batches.is_over(session) or not (session.simulated or facts.by_id(session.study_id).is_live):
        return False
    session.rechecks += 1
    session.step = Session.Step.CHECKS
    session.save(update_fields=["rechecks", "step"])
    return True

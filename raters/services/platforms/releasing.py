"""Give places back to the pool when the platform says that their rater won't fill them."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from raters.models import Batch, Session, Submission
from raters.models.trials import EXPIRED, OPEN
from raters.services import finishing
from raters.services.settling import settle

State = Submission.State
RELEASING = (State.RETURNED, State.TIMED_OUT, State.REJECTED)


def release(*, submission: Submission, now: datetime) -> bool:
    """Free what a submission's session holds, once; return whether it was this call.

    Whoever gave the place back has left. Whoever only ran out of the platform's time may still be at it: their batch
    expires, and what they answer after that is kept and marked late.
    """
    with transaction.atomic():
        mine = Submission.objects.filter(pk=submission.pk, state__in=RELEASING, released_at=None)
        if not mine.update(released_at=now):
            return False
        if submission.session_id is None:
            return True
        # Whoever goes on at another place of the platform holds that one.
        if not Session.objects.filter(pk=submission.session_id, ext_session=submission.ext_session).exists():
            return True
        if submission.state == State.RETURNED:
            finishing.leave(session_id=submission.session_id, outcome=Session.Outcome.WITHDRAWN, now=now)
        else:
            _expire(submission.session_id, now)
    return True


def _expire(session_id: int, now: datetime) -> None:
    finishing.locked(session_id)
    open_now = Batch.objects.filter(session=session_id, state=OPEN)
    batches = list(open_now.values_list("pk", flat=True))
    open_now.update(state=EXPIRED, expired_at=now, lease_until=None)
    settle(batch_ids=batches)

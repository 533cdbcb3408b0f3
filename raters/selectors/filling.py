"""Whether the queues of experts hold all answers that belong into them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from core import jobs
from raters.models import QueueFill
from studies.selectors import experts

# Experts who find nothing let a worker look at all answers again, but not more often than this.
REST = timedelta(minutes=5)


# A worker that is not there, or has more to do than it can, shows after this.
PATIENCE = timedelta(minutes=2)


class Filling(NamedTuple):
    """Where the filling of a study's queues stands."""

    # More may come: a worker looks for answers, or was asked to.
    is_under_way: bool
    # Since when no worker has done anything about it, where that is longer than usual.
    waits_since: datetime | None


NOTHING = Filling(is_under_way=False, waits_since=None)


def of_study(study_id: int, now: datetime) -> Filling:
    """Return where the filling of a study's queues stands; one SELECT."""
    row = QueueFill.objects.filter(study=study_id).first()
    if row is None or row.is_over:
        return NOTHING
    # A worker that died left a lease that nobody renews.
    since = row.queued_at if row.state == jobs.QUEUED else row.lease_until
    return Filling(is_under_way=True, waits_since=since if since is not None and since < now - PATIENCE else None)


def outdated() -> list[int]:
    """Return the studies whose queues were never filled under the settings that hold now; two SELECTs."""
    wanted = experts.queues()
    known = QueueFill.objects.filter(study__in=wanted).values_list("study", "wanted", "state")
    stands = {study: was == wanted[study] or state != jobs.DONE for study, was, state in known}
    return [study for study in wanted if not stands.get(study, False)]

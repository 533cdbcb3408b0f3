"""Whether the queues of experts hold all answers that belong into them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from core import jobs
from raters.models import QueueFill
from studies.selectors import experts

# Experts who find nothing let a worker look at all answers again, but not more often than this.
REST = timedelta(minutes=5)


class Filling(NamedTuple):
    """Where the filling of a study's queues stands."""

    # More may come within seconds: a worker looks for answers, or is about to.
    is_under_way: bool
    # The row to nudge a worker about, where the last look at all answers is some time ago.
    due: int | None


def of_study(study_id: int, now: datetime) -> Filling:
    """Return where the filling of a study's queues stands; two SELECTs, whatever the study has."""
    row = QueueFill.objects.filter(study=study_id).first()
    if row is None or not row.is_over or row.wanted != experts.queues([study_id]).get(study_id, ""):
        # The sweep sees to it.
        return Filling(is_under_way=True, due=None)
    is_old = row.ended_at is None or row.ended_at < now - REST
    return Filling(is_under_way=is_old, due=row.pk if is_old else None)


def outdated() -> list[int]:
    """Return the studies whose queues were never filled under the settings that hold now; two SELECTs."""
    wanted = experts.queues()
    known = QueueFill.objects.filter(study__in=wanted).values_list("study", "wanted", "state")
    stands = {study: was == wanted[study] or state != jobs.DONE for study, was, state in known}
    return [study for study in wanted if not stands.get(study, False)]

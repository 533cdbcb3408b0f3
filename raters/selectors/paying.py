"""What a researcher needs to pay people: the platform's ids and how each session ended, and nothing that was rated."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from django.db.models import F

from core.paging import paged
from raters.models import Session, Submission
from raters.models.people import plain_study
from raters.selectors import external, monitor

PAID = (Submission.State.APPROVED, Submission.State.PARTIALLY_APPROVED, Submission.State.SCREENED_OUT)


def unpaid(sessions: Collection[Session]) -> int:
    """Return how many of these ended, are owed pay or may be, and aren't known to have been paid; one SELECT."""
    ended = Session.objects.filter(pk__in=[session.pk for session in sessions], simulated=False).exclude(outcome="")
    return ended.exclude(payable=False).exclude(submissions__state__in=PAID).count()


def table(study_id: int) -> Iterator[dict[str, Any]]:
    """Yield one row a real session, in order of arrival; `person` is None once the identity was deleted."""
    rows = monitor.sessions_of(study_id, False).values(
        "pk",
        "source",
        "ext_study",
        "ext_session",
        "step",
        "outcome",
        "payable",
        "arrived_at",
        "ended_at",
        session_pk=F("pk"),
        sealed=external.sealed(),
    )
    for row in paged(rows, "pk"):
        sealed = row.pop("sealed")
        yield {**row, "ext_study": plain_study(row["ext_study"]), "person": external.opened(sealed)}

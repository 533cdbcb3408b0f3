"""What a researcher needs to pay people: the platform's ids and how each session ended, and nothing that was rated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import F

from core.paging import paged
from raters.selectors import external, monitor


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
        yield {**row, "person": external.opened(sealed)}

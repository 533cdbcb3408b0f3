"""Comparisons of metrics with listeners: computed by a worker, stored, and computed again once they are old."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import transaction

from analysis.comparisons.result import SCHEMA
from analysis.data.models import Simulated
from analysis.metrics.models import Comparison, MetricSet
from analysis.sections.results import dump
from core import jobs
from core.jobs import explain

MAX_AGE = timedelta(minutes=1)


@transaction.atomic
def request(
    *, first: MetricSet, second: MetricSet | None, simulated: Simulated, now: datetime
) -> tuple[Comparison, bool]:
    """Return the comparison and whether to notify a worker. A new or outdated comparison is queued."""
    row, is_new = Comparison.objects.defer("clips").get_or_create(
        first=first,
        second=second,
        simulated=simulated,
        defaults={"study_id": first.study_id, "state": jobs.QUEUED, "queued_at": now},
    )
    is_old = row.ended_at is not None and now - row.ended_at >= max(MAX_AGE, _took(row))
    is_other = row.state == jobs.DONE and row.figures.get("schema") != SCHEMA
    if is_new or not (row.is_over and (is_old or is_other)):
        return row, is_new
    again = {"state": jobs.QUEUED, "queued_at": now, "tries": 0, "error": ""}
    is_queued = bool(Comparison.objects.filter(pk=row.pk, state=row.state, ended_at=row.ended_at).update(**again))
    row.refresh_from_db()
    return row, is_queued


def compare(*, pk: int, clock: Callable[[], datetime]) -> bool:
    """Compute one row; False if another worker has it or it was deleted."""
    began = clock()
    row = jobs.claim(Comparison, pk, began)
    if row is None:
        return False
    # Imported here because only workers need the statistics.
    from analysis.comparisons import figures

    try:
        results = figures.compute(
            study_id=row.study_id, first=row.first, second=row.second, simulated=Simulated(row.simulated)
        )
    except Exception as error:
        jobs.finish(row, clock(), error=explain(error))
        raise
    return jobs.finish(
        row,
        clock(),
        figures=dump(results.figures),
        clips=[dump(each) for each in results.clips],
        computed_at=began,
    )


def _took(row: Comparison) -> timedelta:
    return row.ended_at - row.computed_at if row.ended_at and row.computed_at else timedelta()

"""Take each look that was named before the launch once, when it is due, and keep what it said for good."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from analysis.planning.models import Look
from analysis.report import stopping
from analysis.report.design import usable
from analysis.selectors import looks as select
from core import jobs
from studies.definition import queries as definition_queries
from studies.pool import queries as pool_queries

# Ratings are counted at most this often.
EVERY = timedelta(minutes=1)
# Information may grow between a look's moment and the last one, but a look needs some.
LEAST_FRACTION = 1e-3
_counted: dict[int, datetime] = {}


def due_looks(now: datetime) -> int:
    """Queue the looks of running studies that are due; called by the sweep, and quick where nobody named any."""
    queued = 0
    for study_id in pool_queries.with_looks():
        if now - _counted.get(study_id, datetime.min.replace(tzinfo=now.tzinfo)) >= EVERY:
            _counted[study_id] = now
            queued += queue_due(study_id=study_id, now=now)
    return queued


@transaction.atomic
def queue_due(*, study_id: int, now: datetime) -> int:
    """Queue the looks of one study that are due and were not taken; return how many.

    Of several that came due together the last alone is taken: the others would look at the same ratings.
    """
    definition = definition_queries.definition(definition_queries.study_of(study_id))
    plan = stopping.plan_of(definition)
    ratings, wanted = select.progress(study_id)
    numbers = [
        number
        for number, look in enumerate(plan.looks, start=1)
        if ratings and look.is_due(ratings=ratings, wanted=wanted, today=now.date())
    ]
    newest = Look.objects.filter(study_id=study_id).order_by("-number").values_list("number", flat=True).first() or 0
    if not numbers or numbers[-1] <= newest:
        return 0
    Look.objects.create(
        study_id=study_id, number=numbers[-1], planned=plan.lines[numbers[-1] - 1], due_at=now, queued_at=now
    )
    return 1


def take_look(*, pk: int, clock: Callable[[], datetime]) -> bool:
    """Compute a look and record it; False when another worker has it. A look that can't be taken says why."""
    from analysis.stats.design import NotEstimable

    row = jobs.claim(Look, pk, clock())
    if row is None:
        return False
    definition = definition_queries.definition(definition_queries.study_of(row.study_id))
    plan = stopping.plan_of(definition)
    ratings, wanted = select.progress(row.study_id)
    earlier = [look.fraction for look in select.taken(row.study_id, row.number)]
    fraction = min(1.0, ratings / wanted) if wanted else 0.0
    try:
        if fraction < LEAST_FRACTION or (earlier and fraction <= earlier[-1]):
            raise NotEstimable(_("There are no more ratings than at the look before."))
        found = stopping.look(plan, usable(row.study_id, definition.kind.score.part), [*earlier, fraction])
    except NotEstimable as error:
        return jobs.finish(row, clock(), error=str(error), ratings=ratings, fraction=fraction)
    return jobs.finish(row, clock(), ratings=ratings, fraction=fraction, found=found)

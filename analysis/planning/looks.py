"""Planned interim analyses ("looks"): queued when due, computed once, stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from analysis.planning import stopping
from analysis.planning.models import Look
from analysis.planning.usable import usable
from analysis.sections.results import dump
from core import jobs
from core.jobs import DONE
from raters.rating import monitor
from studies.definition import queries as definition_queries
from studies.pool import queries as pool_queries

# Ratings are counted at most once in this interval.
EVERY = timedelta(minutes=1)
# The smallest share of the wanted ratings at which a look can be computed.
LEAST_FRACTION = 1e-3


def of_study(study_id: int) -> Sequence[Look]:
    """Return the looks, queued or computed, in order."""
    return list(Look.objects.filter(study_id=study_id).order_by("number"))


def finished(study_id: int, before: int) -> Sequence[Look]:
    """Return the computed looks before number `before`."""
    return list(Look.objects.filter(study_id=study_id, number__lt=before, state=DONE).order_by("number"))


def progress(study_id: int) -> tuple[int, int]:
    """Return the usable ratings, counted up to each place's wanted number, and the ratings wanted."""
    counted = monitor.usable_by_pool(study_id, False)
    places = list(pool_queries.places(study_id, False))
    return sum(min(counted.get(place.pool, 0), place.wanted) for place in places), sum(place.wanted for place in places)


_counted: dict[int, datetime] = {}


def due_looks(now: datetime) -> int:
    """Queue the looks of running studies that are due. Called by the sweep; fast if no study planned any."""
    queued = 0
    for study_id in pool_queries.with_looks():
        if now - _counted.get(study_id, datetime.min.replace(tzinfo=now.tzinfo)) >= EVERY:
            _counted[study_id] = now
            queued += queue_due(study_id=study_id, now=now)
    return queued


@transaction.atomic
def queue_due(*, study_id: int, now: datetime) -> int:
    """Queue the newest look of a study that is due, and return the number queued (0 or 1).

    If several came due together, only the last is computed: the others would use the same ratings.
    """
    definition = definition_queries.definition(definition_queries.study_of(study_id))
    plan = stopping.plan_of(definition)
    ratings, wanted = progress(study_id)
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
    """Compute and record a look; False if another worker has it. If it can't be computed, its row says why."""
    from analysis.stats.design import NotEstimable

    row = jobs.claim(Look, pk, clock())
    if row is None:
        return False
    definition = definition_queries.definition(definition_queries.study_of(row.study_id))
    plan = stopping.plan_of(definition)
    ratings, wanted = progress(row.study_id)
    earlier = [look.fraction for look in finished(row.study_id, row.number)]
    fraction = min(1.0, ratings / wanted) if wanted else 0.0
    try:
        if fraction < LEAST_FRACTION or (earlier and fraction <= earlier[-1]):
            raise NotEstimable(_("There are no more ratings than at the look before."))
        scale = definition.kind.score
        results = stopping.look(plan, usable(row.study_id, scale.part), [*earlier, fraction], scale)
    except NotEstimable as error:
        return jobs.finish(row, clock(), error=str(error), ratings=ratings, fraction=fraction)
    return jobs.finish(row, clock(), ratings=ratings, fraction=fraction, found=[dump(each) for each in results])

"""Free places in studies, and the time until one may become free (rule A11)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from math import ceil
from typing import Any

from django.db.models import Count, Exists, Min, OuterRef, QuerySet

from raters.rating.models import Batch, Trial
from raters.rating.settling import UNDECIDED
from studies.pool import queries as pool_queries


def has_open(study_id: int, *, simulated: bool = False) -> bool:
    """True if a new rater may start; one SELECT."""
    return pool_queries.has_open_place(study_id, simulated=simulated)


def minutes_to_wait(study_id: int, now: datetime, *, simulated: bool = False) -> int | None:
    """Return the minutes until the first lease ends that may free a place; None if no more ratings are wanted.

    Active raters renew their leases, so this is the earliest time.
    """
    holding = _holding().filter(session__study=study_id, session__simulated=simulated)
    waiting = holding.aggregate(batches=Count("pk"), until=Min("lease_until"))
    if not waiting["batches"]:
        return None
    # A batch waiting for validation has no lease; validation takes seconds.
    until = waiting["until"] or now
    return max(1, ceil((until - now).total_seconds() / 60))


def full(study_ids: Collection[int]) -> set[int]:
    """Return the studies that want no more real raters; at most two SELECTs."""
    taken = pool_queries.without_open_places(study_ids) if study_ids else set()
    if not taken:
        return set()
    holding = _holding().filter(session__study__in=taken, session__simulated=False)
    return taken - set(holding.order_by().values_list("session__study", flat=True).distinct())


def _holding() -> QuerySet[Batch, Any]:
    """Return the batches that may free places: open ones, and those not validated yet."""
    places = Trial.objects.filter(batch=OuterRef("pk"), holds=True, surplus=False, pool__wanted__gt=0)
    return Batch.objects.filter(Exists(places), state__in=UNDECIDED)

"""The looks that a study has taken."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.planning.models import Look
from core.jobs import DONE
from raters.rating import monitor
from studies.pool import queries as pool_queries


def of_study(study_id: int) -> Sequence[Look]:
    """Return the looks, taken or on their way, in order."""
    return list(Look.objects.filter(study_id=study_id).order_by("number"))


def taken(study_id: int, before: int) -> Sequence[Look]:
    """Return the looks that were taken before look number `before`."""
    return list(Look.objects.filter(study_id=study_id, number__lt=before, state=DONE).order_by("number"))


def progress(study_id: int) -> tuple[int, int]:
    """Return how many of the ratings wanted there are, each place counted up to its number, and how many are wanted."""
    usable = monitor.usable_by_pool(study_id, False)
    places = list(pool_queries.places(study_id, False))
    return sum(min(usable.get(place.pool, 0), place.wanted) for place in places), sum(place.wanted for place in places)

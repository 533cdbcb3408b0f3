"""Change how many ratings places want."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from django.db.models import QuerySet

from studies.models import Pool

CHUNK = 500


def want(places: QuerySet[Pool], ratings: int) -> None:
    """Set how many ratings these places want, inside the caller's transaction.

    Rows are locked in the order that every writer uses. A place that wants nothing is in no index of places, so that
    no batch finds it.
    """
    rows = places.exclude(wanted=ratings).order_by("pk")
    keys = list(rows.select_for_update(of=("self",)).values_list("pk", flat=True))
    for start in range(0, len(keys), CHUNK):
        Pool.objects.filter(pk__in=keys[start : start + CHUNK]).update(wanted=ratings)


def want_each(counts: Mapping[int, int]) -> None:
    """Set how many ratings each of these places wants; the rows are locked by the caller."""
    places: defaultdict[int, list[int]] = defaultdict(list)
    for place, ratings in counts.items():
        places[ratings].append(place)
    for ratings, keys in places.items():
        want(Pool.objects.filter(pk__in=keys), ratings)

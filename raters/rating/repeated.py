"""Ratings of repeated trials, each with the rating of its first, for test–retest reliability."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from django.db.models import Exists, OuterRef, Subquery

from core.database.paging import keys
from core.jobs import DONE
from raters.rating import monitor
from raters.rating.models import Rating, Trial, Verdict

SESSIONS = 500


class RatedTwice(NamedTuple):
    """A clip's first rating by a rater, and the same rater's rating in the repeat."""

    rater: int
    first: float
    again: float
    first_code: str
    again_code: str


def rated_twice(
    study_id: int, part: str, simulated: bool | None, versions: monitor.Versions = None
) -> Iterator[RatedTwice]:
    """Yield the usable ratings of a part that were repeated, in order of storage; two SELECTs for 500 sessions.

    A first rating must be usable. Its repeat is in the same batch, so only a verdict on its own answer can exclude it.
    """
    excluded = Verdict.objects.filter(answer=OuterRef("trial"), usable=False, revoked_at=None)
    first = Trial.objects.filter(
        batch=OuterRef("trial__batch"), item=OuterRef("trial__item"), repeat=0, usable=True
    ).values("pk")[:1]
    columns = ("clip_id", "question_id", "value", "code")
    for sessions in keys(monitor.sessions_of(study_id, simulated, versions), SESSIONS):
        rows = Rating.objects.filter(
            trial__batch__session__in=sessions, trial__batch__state=DONE, part=part, value__isnull=False
        ).exclude(clip=None)
        again = rows.filter(~Exists(excluded), trial__repeat__gt=0).annotate(first=Subquery(first)).exclude(first=None)
        repeats = list(again.order_by("pk").values_list("trial__rater_id", "first", *columns))
        firsts = rows.filter(trial__in={row[1] for row in repeats}).values_list("trial_id", *columns)
        known = {tuple(key): (value, code) for *key, value, code in firsts.order_by("-pk")}
        for rater, *key, value, code in repeats:
            if (before := known.get(tuple(key))) is not None:
                yield RatedTwice(rater, before[0], value, before[1], code)

"""The crowd platform's ids of sessions, for those who may see them."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from django.db.models import OuterRef, Subquery

from raters.models import Identity, Session


class External(NamedTuple):
    """How the crowd platform calls a session; `person` is None once the identity was deleted."""

    study: str
    session: str
    person: str | None


def ids(sessions: Collection[int]) -> dict[int, External]:
    """Return {session: its ids}; one SELECT."""
    known = Identity.objects.filter(rater=OuterRef("rater"), source=OuterRef("source")).values("person")[:1]
    rows = Session.objects.filter(pk__in=sessions).values_list("pk", "ext_study", "ext_session", Subquery(known))
    return {pk: External(*found) for pk, *found in rows}

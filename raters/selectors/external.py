"""The crowd platform's ids of sessions, for those who may see them."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from django.db.models import OuterRef, Subquery

from core import sealing
from raters.models import Identity, Session
from raters.models.people import plain_study


class External(NamedTuple):
    """How the crowd platform calls a session; `person` is None once the identity was deleted."""

    study: str
    session: str
    person: str | None


def ids(sessions: Collection[int]) -> dict[int, External]:
    """Return {session: its ids}; one SELECT."""
    rows = Session.objects.filter(pk__in=sessions).values_list("pk", "ext_study", "ext_session", sealed())
    return {pk: External(plain_study(study), session, opened(person)) for pk, study, session, person in rows}


def sealed() -> Subquery:
    """Return, for a query of sessions, each one's person as it is stored: for `opened`."""
    known = Identity.objects.filter(rater=OuterRef("rater"), source=OuterRef("source"))
    return Subquery(known.values("sealed")[:1])


def opened(person: str | None) -> str | None:
    """Return the platform's id of a person; None once it was deleted. Costs some twenty microseconds."""
    return None if person is None else sealing.opened(person)

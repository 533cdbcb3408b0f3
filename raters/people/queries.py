"""Queries for sessions and their platform ids."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import NamedTuple

from django.db.models import OuterRef, Subquery

from core import sealing
from core.database.prepared import Objects, Parameter
from core.errors import NotFound
from raters.people.models import Identity, Session, plain_study
from studies.definition import facts
from studies.definition.definition import Definition
from studies.definition.facts import StudyFacts

BY_ID = Objects(Session, lambda: Session.objects.filter(pk=Parameter("session")))


def study_for(slug: str) -> StudyFacts:
    """Return a study by its slug; raises `NotFound`."""
    return facts.by_slug(slug)


def session(pk: int) -> Session:
    """Return a session; raises `NotFound`."""
    rows = BY_ID(session=pk)
    if not rows:
        raise NotFound("There is no such session.")
    return rows[0]


def person(session: Session) -> str:
    """Return the platform's id of a session's person; empty after its deletion."""
    identity = Identity.objects.filter(rater=session.rater_id, source=session.source).first()
    return identity.person if identity is not None else ""


def language(session_id: int) -> str:
    """Return the language of a rater's pages."""
    row = session(session_id)
    return row.language or definition(row.version_id).texts.language


@lru_cache(maxsize=8192)
def version_of(session_id: int) -> int:
    """Return the key of a session's study version. It never changes, so it is cached."""
    return session(session_id).version_id


def definition(version_id: int) -> Definition:
    return facts.frozen(version_id).definition


class PlatformIds(NamedTuple):
    """The crowd platform's ids of a session; `person` is None once the identity was deleted."""

    study: str
    session: str
    person: str | None


def ids(sessions: Collection[int]) -> dict[int, PlatformIds]:
    """Return {session: its ids}; one SELECT."""
    rows = Session.objects.filter(pk__in=sessions).values_list("pk", "ext_study", "ext_session", sealed())
    return {pk: PlatformIds(plain_study(study), session, opened(person)) for pk, study, session, person in rows}


def sealed() -> Subquery:
    """Return a subquery for sessions: the person's encrypted id, for `opened`."""
    known = Identity.objects.filter(rater=OuterRef("rater"), source=OuterRef("source"))
    return Subquery(known.values("sealed")[:1])


def opened(person: str | None) -> str | None:
    """Decrypt the platform's id of a person (about 20 µs); None after its deletion."""
    return None if person is None else sealing.opened(person)

"""Sessions, as pages and services read them."""

from __future__ import annotations

from functools import lru_cache

from core.errors import NotFound
from core.prepared import Given, Objects
from raters.models import Identity, Session
from studies.presets.definition import Definition
from studies.selectors import facts
from studies.selectors.facts import StudyFacts

BY_ID = Objects(Session, lambda: Session.objects.filter(pk=Given("session")))


def study_for(slug: str) -> StudyFacts:
    """Return a study by its slug; raises `NotFound`."""
    return facts.by_slug(slug)


def session(pk: int) -> Session:
    """Return a session; raises `NotFound`."""
    found = BY_ID(session=pk)
    if not found:
        raise NotFound("There is no such session.")
    return found[0]


def person(session: Session) -> str:
    """Return the platform's id of a session's person; empty when it was deleted."""
    found = Identity.objects.filter(rater=session.rater_id, source=session.source).first()
    return found.person if found is not None else ""


def language(session_id: int) -> str:
    """Return the language of a rater's pages."""
    found = session(session_id)
    return found.language or definition(found.version_id).texts.language


@lru_cache(maxsize=8192)
def version_of(session_id: int) -> int:
    """Return the key of the version that a session rates: it never changes."""
    return session(session_id).version_id


def definition(version_id: int) -> Definition:
    """Return what a version asks."""
    return facts.frozen(version_id).definition

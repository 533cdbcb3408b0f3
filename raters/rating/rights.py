"""Raters' consent, requests for deletion, and deleted platform ids."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from django.db.models import QuerySet

from core.jobs import DONE, QUEUED, RUNNING
from raters.people.models import DELETION, Erasure, Identity, IdentityTerm, Rater, Session
from raters.rating.models import Verdict
from studies.clips import queries as clips_queries
from studies.definition import facts

if TYPE_CHECKING:
    from studies.definition.definition import Wording


@dataclass(frozen=True, slots=True)
class ConsentSheet:
    """An information sheet and its consent sentence, in the session's language."""

    information: str
    consent: str
    contact: str
    language: str
    version: int
    sha256: str
    # None if consent wasn't given (yet).
    agreed_at: datetime | None
    # True if the hash stored with the consent matches this text.
    matches: bool


def sha256_of(texts: Wording) -> str:
    """Return the hash that identifies the text a rater consents to."""
    return hashlib.sha256(f"{texts.information}\n{texts.consent}".encode()).hexdigest()


def sheet(session: Session) -> ConsentSheet:
    """Return the information sheet of a session, with its consent."""
    definition = facts.frozen(session.version_id).definition
    language = session.language or definition.texts.language
    texts = definition.wording(language)
    sha256 = sha256_of(texts)
    return ConsentSheet(
        texts.information,
        texts.consent,
        texts.contact,
        language,
        clips_queries.numbers(session.study_id)[session.version_id],
        sha256,
        session.consented_at,
        session.consent_sha256 in ("", sha256),
    )


def erasure(session: Session) -> Erasure | None:
    """Return the erasure request for a session or its rater; None if there is none."""
    rows = Erasure.objects.filter(rater=session.rater_id, state__in=[QUEUED, RUNNING, DONE])
    return rows.filter(session=session).first() or rows.filter(session=None).first()


def deletion_requested(sessions: Collection[Session] | QuerySet[Session]) -> QuerySet[Verdict, int]:
    """Return a query for the keys of those sessions that have a request for deletion; one SELECT."""
    active = Verdict.objects.filter(rule=DELETION, usable=False, revoked_at=None, session__in=sessions)
    return active.values_list("session_id", flat=True)


def ids_deleted_at(study_id: int) -> datetime | None:
    """Return when a study's platform ids were deleted; None if they weren't."""
    return IdentityTerm.objects.filter(study=study_id).values_list("forgotten_at", flat=True).first()


def rater_with_id(*, source: str, person: str) -> int | None:
    """Return the number of the rater with this platform id; None if it is unknown or was deleted."""
    return Identity.objects.with_id(source, person.strip()).values_list("rater_id", flat=True).first()


def is_known(rater: int) -> bool:
    return Rater.objects.filter(pk=rater).exists()

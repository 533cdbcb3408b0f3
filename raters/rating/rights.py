"""What raters agreed to, what they asked to be deleted, and whether their names are known still."""

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
    """An information sheet with the sentence below it, in the language in which a session met them."""

    information: str
    consent: str
    contact: str
    language: str
    version: int
    sha256: str
    # None: not agreed to (yet).
    agreed_at: datetime | None
    # Whether the hash stored with the consent is that of this text.
    matches: bool


def sha256_of(texts: Wording) -> str:
    """Return the hash that identifies the text that a rater agreed to."""
    return hashlib.sha256(f"{texts.information}\n{texts.consent}".encode()).hexdigest()


def sheet(session: Session) -> ConsentSheet:
    """Return what a session was shown, and whether it was agreed to."""
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
    """Return the requested deletion of a session or of its person; None if there is none."""
    rows = Erasure.objects.filter(rater=session.rater_id, state__in=[QUEUED, RUNNING, DONE])
    return rows.filter(session=session).first() or rows.filter(session=None).first()


def deletion_requested(sessions: Collection[Session] | QuerySet[Session]) -> QuerySet[Verdict, int]:
    """Return the keys of those sessions whose deletion was asked for, for a query or to be read; one SELECT."""
    active = Verdict.objects.filter(rule=DELETION, usable=False, revoked_at=None, session__in=sessions)
    return active.values_list("session_id", flat=True)


def ids_deleted_at(study_id: int) -> datetime | None:
    """Return when the platform's ids of a study's people were deleted for good; None: they weren't yet."""
    return IdentityTerm.objects.filter(study=study_id).values_list("forgotten_at", flat=True).first()


def rater_with_id(*, source: str, person: str) -> int | None:
    """Return the number of the rater with this platform id; None if it is unknown or was deleted."""
    return Identity.objects.with_id(source, person.strip()).values_list("rater_id", flat=True).first()


def is_known(rater: int) -> bool:
    """Say whether there is a rater of this number."""
    return Rater.objects.filter(pk=rater).exists()

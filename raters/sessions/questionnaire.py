"""Questionnaire after the last clip: storage, counts and rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Count, F, FilteredRelation, Q, QuerySet

from core.database.paging import keys
from raters.people.models import Session
from raters.rating import finishing
from raters.rating.monitor import SESSIONS, Versions, sessions_of
from raters.rating.rights import deletion_requested
from raters.sessions.models import Response
from studies.definition import facts
from studies.definition.settings.questionnaire import AGE, GENDER, SKIPPED


class Balance(NamedTuple):
    """Number of raters with this gender and age; a code is empty if not asked for."""

    gender: str
    age: str
    raters: int


def sessions_to_use(study_id: int, simulated: bool | None, versions: Versions = None) -> QuerySet[Session]:
    """Return the sessions with usable answers: all without a request for deletion."""
    rows = sessions_of(study_id, simulated, versions)
    return rows.exclude(pk__in=deletion_requested(rows))


def responses_of(study_id: int, simulated: bool | None, versions: Versions = None) -> QuerySet[Response]:
    """Return the answers of real raters (False), simulated ones (True), or both (None)."""
    return Response.objects.filter(session__in=sessions_to_use(study_id, simulated, versions))


def has_responses(study_id: int) -> bool:
    return responses_of(study_id, None).exists()


def balance(study_id: int, simulated: bool | None, versions: Versions = None) -> list[Balance]:
    """Count the raters by gender and age band; one SELECT."""
    rows = (
        sessions_to_use(study_id, simulated, versions)
        .annotate(
            said_gender=FilteredRelation("responses", condition=Q(responses__key=GENDER)),
            said_age=FilteredRelation("responses", condition=Q(responses__key=AGE)),
        )
        .filter(Q(said_gender__isnull=False) | Q(said_age__isnull=False))
        .order_by()
        .values_list("said_gender__code", "said_age__code")
        .annotate(raters=Count("rater", distinct=True))
    )
    return sorted(Balance(gender or "", age or "", raters) for gender, age, raters in rows)


def counts(study_id: int, simulated: bool | None, versions: Versions = None) -> dict[str, dict[str, int]]:
    """Return {question: {code: raters}}, without free text; one SELECT."""
    rows = responses_of(study_id, simulated, versions).exclude(code="").order_by().values_list("key", "code")
    counts_by_question: dict[str, dict[str, int]] = {}
    for key, code, raters in sorted(rows.annotate(raters=Count("session__rater", distinct=True))):
        counts_by_question.setdefault(key, {})[code] = raters
    return counts_by_question


def table(study_id: int, simulated: bool | None) -> Iterator[dict[str, Any]]:
    """Yield one row per answer, by session and question."""
    for sessions in keys(sessions_to_use(study_id, simulated), SESSIONS):
        rows: Any = Response.objects.filter(session__in=sessions).order_by("session_id", "pk")
        yield from rows.values(
            "key",
            "code",
            "words",
            "at",
            session_pk=F("session_id"),
            rater_pk=F("session__rater_id"),
            version_pk=F("version_id"),
            read_in=F("session__language"),
            is_simulated=F("session__simulated"),
        )


@dataclass(frozen=True, slots=True)
class QuestionnaireAnswer:
    """The answer to one question: code, text, or both."""

    key: str
    code: str = ""
    words: str = ""


@transaction.atomic
def store(*, session_id: int, responses: Collection[QuestionnaireAnswer], now: datetime) -> Session:
    """Store a row for each question and end the session; a second call changes nothing.

    Questions without an answer are stored as skipped. Outcome, pay and `ended_at` don't change.
    """
    session = finishing.locked(session_id)
    if session.step != Session.Step.QUESTIONS:
        return session
    response_by_key = {each.key: each for each in responses}
    rows = []
    for question in facts.frozen(session.version_id).definition.questionnaire.asked():
        answer = response_by_key.get(question.key) or QuestionnaireAnswer(question.key, SKIPPED)
        rows.append(
            Response(
                session=session,
                version_id=session.version_id,
                key=question.key,
                code=answer.code,
                words=answer.words,
                at=now,
            )
        )
    Response.objects.bulk_create(rows)
    session.step = Session.Step.ENDED
    session.save(update_fields=["step"])
    return session

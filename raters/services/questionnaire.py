"""The last step of a session: what raters say about themselves is stored, and their end page opens."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from raters.models import Response, Session
from raters.services import finishing
from studies.presets.questionnaire import SKIPPED
from studies.selectors import facts


@dataclass(frozen=True, slots=True)
class Told:
    """The answer to one question, in canonical codes, in a rater's own words, or in both."""

    key: str
    code: str = ""
    words: str = ""


@transaction.atomic
def store(*, session_id: int, told: Collection[Told], now: datetime) -> Session:
    """Store a row for each question that this session is asked, and end it; a second call changes nothing.

    Questions that nothing is told about are stored as skipped. Outcome, pay and `ended_at` stay as the ratings left
    them.
    """
    session = finishing.locked(session_id)
    if session.step != Session.Step.QUESTIONS:
        return session
    given = {each.key: each for each in told}
    rows = []
    for question in facts.frozen(session.version_id).definition.questionnaire.asked():
        answer = given.get(question.key) or Told(question.key, SKIPPED)
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

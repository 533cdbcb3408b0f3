"""Start previews, move them forward, and delete them."""

from __future__ import annotations

from datetime import datetime
from random import Random
from typing import TYPE_CHECKING

from django.db import models, transaction

from core import rng as random
from core.database.references import delete_with_references
from core.errors import NotFound
from raters.people.models import Rater, Session
from raters.rating import finishing, skipping
from raters.sessions import checks, lifecycle, questionnaire
from raters.sources.base import RaterArrival
from studies.definition import facts
from studies.launch import copies

if TYPE_CHECKING:
    from studies.definition.models import Study

Step = Session.Step


def start(*, study: Study, user_id: int, now: datetime, language: str = "") -> Session:
    """Copy the draft and start a rater session for this user. Ends their earlier preview of the study.

    Raises `Conflict` with `findings` if the draft's clips can't be laid out.
    """
    with transaction.atomic():
        for copy_id in set(_of_user(user_id).filter(study__preview_of=study.pk).values_list("study", flat=True)):
            end(copy_id=copy_id)
        copy = copies.make(study=study, now=now)
        return _arrive(copy_id=copy, user_id=user_id, now=now, language=language)


def session_of(*, slug: str, user_id: int) -> Session:
    """Return the user's session in the preview with this slug; raises `NotFound`."""
    session = _of_user(user_id).filter(study__slug=slug).order_by("-pk").first()
    if session is None:
        raise NotFound("There is no such preview.")
    return session


def start_again(*, session: Session, user_id: int, now: datetime, language: str = "") -> Session:
    """Start a new session in the same copy; the places of the previous one are released."""
    with transaction.atomic():
        finishing.withdraw(session_id=session.pk, now=now)
        language = language or session.language
        return _arrive(copy_id=session.study_id, user_id=user_id, now=now, language=language)


def skip_step(*, session: Session, now: datetime, rng: Random) -> int | None:
    """Skip the current page as if it had been passed; return the batch completed by this, if any, for the worker."""
    if session.step == Step.CONSENT:
        lifecycle.consent(session_id=session.pk, agreed=True, now=now)
    elif session.step in checks.Steps:
        checks.skip(session_id=session.pk, now=now, rng=rng)
    elif session.step == Step.INSTRUCTIONS:
        lifecycle.begin(session_id=session.pk, now=now)
    elif session.step == Step.RATING:
        return skipping.pass_over(session_id=session.pk, now=now, whole_batch=True)
    elif session.step == Step.QUESTIONS:
        questionnaire.store(session_id=session.pk, responses=(), now=now)
    return None


@transaction.atomic
def end(*, copy_id: int) -> None:
    """Delete a preview with its raters; raises `NotFound` for any other study."""
    if not exists(copy_id):
        raise NotFound("There is no such preview.")
    sessions = Session.objects.filter(study=copy_id)
    delete_with_references(Rater, set(sessions.values_list("rater", flat=True)))
    copies.delete(copy_id)


def exists(copy_id: int) -> bool:
    try:
        return facts.by_id(copy_id).preview_of is not None
    except NotFound:
        return False


def end_old(*, now: datetime) -> int:
    """Delete copies older than a day; return their number."""
    expired = copies.expired(now)
    for copy_id in expired:
        end(copy_id=copy_id)
    return len(expired)


def _of_user(user_id: int) -> models.QuerySet[Session]:
    return Session.objects.filter(study__preview_of__isnull=False, opened_by=user_id)


def _arrive(*, copy_id: int, user_id: int, now: datetime, language: str) -> Session:
    """Start a session with the study's own crowd source, so that pages show the same texts as for its raters."""
    definition = facts.frozen(facts.newest_version(copy_id)).definition
    token, slug = random.token(), facts.by_id(copy_id).slug
    arrival = RaterArrival(definition.crowd.source, token, slug, token, proof=Session.Proof.INVITED, preview=True)
    return lifecycle.arrive(study_id=copy_id, arrival=arrival, now=now, opened_by=user_id, language=language)

"""From the first click to the last page: arrive, consent, begin, leave, end."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from core.errors import Conflict, NotFound
from core.prepared import Given, Objects
from raters.models import Batch, Identity, Rater, Session
from raters.models.trials import CLOSED, EXPIRED, OPEN
from raters.services import trust
from raters.services.settling import settle
from raters.sources.base import Arrival
from studies.selectors import facts

LOCK = Objects(Session, lambda: Session.objects.select_for_update().filter(pk=Given("session")))


def arrive(
    *, study_id: int, arrival: Arrival, now: datetime, simulated: bool = False, opened_by: int | None = None
) -> Session:
    """Create the session of this external id, or return it; raises `Conflict` when it can't be had.

    `opened_by` is the user who is signed in at that browser, if any.
    """
    given: dict[str, Any] = {"study_id": study_id, "arrival": arrival, "now": now}
    try:
        with transaction.atomic():
            return _arrive(**given, simulated=simulated, opened_by=opened_by)
    except IntegrityError:
        # Two first clicks at once: the other one has just made the rows.
        with transaction.atomic():
            return _arrive(**given, simulated=simulated, opened_by=opened_by)


def _arrive(*, study_id: int, arrival: Arrival, now: datetime, simulated: bool, opened_by: int | None) -> Session:
    known = (
        Session.objects.filter(source=arrival.source, ext_study=arrival.study, ext_session=arrival.session)
        .select_for_update()
        .first()
    )
    identity = Identity.objects.filter(source=arrival.source, person=arrival.person).first()
    if known is not None:
        if identity is None or identity.rater_id != known.rater_id or known.study_id != study_id:
            raise Conflict("This link belongs to another person or another study.", code="other_person")
        return known
    if not simulated and not facts.by_id(study_id).is_live:
        raise Conflict("This study is not open at the moment.", code="not_open")
    if identity is None:
        rater = Rater.objects.create(created_at=now)
        Identity.objects.create(rater=rater, source=arrival.source, person=arrival.person)
    else:
        rater = identity.rater
        if Session.objects.filter(rater=rater, study_id=study_id, outcome=Session.Outcome.COMPLETE).exists():
            raise Conflict("You have already taken part in this study.", code="already_took_part")
    return Session.objects.create(
        rater=rater,
        study_id=study_id,
        version_id=facts.newest_version(study_id),
        simulated=simulated,
        opened_by_id=opened_by,
        source=arrival.source,
        ext_study=arrival.study,
        ext_session=arrival.session,
        arrived_at=now,
    )


def locked(session_id: int) -> Session:
    """Lock a session's row for the rest of the transaction; raises `NotFound`."""
    found = LOCK(session=session_id)
    if not found:
        raise NotFound("There is no such session.")
    return found[0]


@transaction.atomic
def consent(*, session_id: int, agreed: bool, now: datetime) -> Session:
    """Record the decision with the very text that was agreed to; a second call changes nothing."""
    session = locked(session_id)
    if session.step != Session.Step.CONSENT:
        return session
    if not agreed:
        return finish(session, outcome=Session.Outcome.DECLINED, now=now)
    texts = facts.frozen(session.version_id).definition.texts
    session.consented_at = now
    session.consent_sha256 = hashlib.sha256(f"{texts.information}\n{texts.consent}".encode()).hexdigest()
    session.step = Session.Step.INSTRUCTIONS
    session.save(update_fields=["consented_at", "consent_sha256", "step"])
    return session


@transaction.atomic
def begin(*, session_id: int, now: datetime) -> Session:
    """The instructions were read; a second call changes nothing."""
    session = locked(session_id)
    if session.step == Session.Step.INSTRUCTIONS:
        session.started_at = now
        session.step = Session.Step.RATING
        session.save(update_fields=["started_at", "step"])
    return session


@transaction.atomic
def withdraw(*, session_id: int, now: datetime) -> Session:
    """Leave early: what was given is kept, places that were held go back to the pool."""
    session = locked(session_id)
    if session.step != Session.Step.ENDED:
        finish(session, outcome=Session.Outcome.WITHDRAWN, now=now)
    return session


def finish(session: Session, *, outcome: Session.Outcome, now: datetime) -> Session:
    """End a locked session, close what is open and give its places back."""
    session.step = Session.Step.ENDED
    session.outcome = outcome
    session.ended_at = now
    session.save(update_fields=["step", "outcome", "ended_at"])
    unfinished = Batch.objects.filter(session=session, state__in=[OPEN, EXPIRED])
    closing = list(unfinished.values_list("pk", flat=True))
    unfinished.update(state=CLOSED, lease_until=None, ended_at=now)
    settle(batch_ids={*closing, *trust.judge(session=session, now=now)})
    return session

"""Steps of a session: arrive, consent, start, leave, end."""

from __future__ import annotations

import logging
import secrets
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import IntegrityError, transaction
from django.db.models import Q

from core.errors import Conflict
from raters.people.models import APART, OVER, Identity, Rater, Session
from raters.people.tombstones import tombstones
from raters.rating import finishing, hooks, places
from raters.rating.prior_listening import is_left_out, took_part_in_pilot
from raters.rating.rights import erasure, sha256_of
from raters.sessions import screening, slow_line
from raters.sessions.models import CheckResult
from raters.sessions.screening.attention import AttentionCheck
from raters.sources.base import RaterArrival
from studies.definition import facts
from studies.pool import layout

if TYPE_CHECKING:
    from raters.sessions.screening.base import Phase
    from studies.definition.settings.crowd import Crowd

# After these outcomes, people can't try again with another submission.
SETTLED = {Session.Outcome.SCREENED_OUT, Session.Outcome.FAILED_COMPREHENSION, Session.Outcome.FAILED_ATTENTION}

security = logging.getLogger("earshot.security")

# A check was failed, or a try was used up. Callers leave out the device check: people may change devices.
FAILED = Q(passed=False) | Q(passed=None, tries__gt=1)


def arrive(
    *,
    study_id: int,
    arrival: RaterArrival,
    now: datetime,
    simulated: bool = False,
    opened_by: int | None = None,
    language: str = "",
    browser_session: int | None = None,
) -> Session:
    """Create or return the session with these external ids; raises `Conflict` if that isn't possible.

    `opened_by` is the user signed in at this browser, if any. Previews use simulated places and aren't counted.
    `language` is the language of a new session. `browser_session` is the session in the browser's cookie; it is
    recorded if it belongs to another person.
    """
    if arrival.preview:
        layout.open_simulated(study_id=study_id)
    arguments: dict[str, Any] = {
        "study_id": study_id,
        "arrival": arrival,
        "now": now,
        "simulated": simulated or arrival.preview,
        "opened_by": opened_by,
        "language": language,
    }
    try:
        with transaction.atomic():
            return _placed(_in_browser(_arrive(**arguments), browser_session), now)
    except IntegrityError:
        # A simultaneous first click has just created the rows.
        with transaction.atomic():
            return _placed(_in_browser(_arrive(**arguments), browser_session), now)


def _in_browser(session: Session, before: int | None) -> Session:
    """Record that a locked session's browser had another person's session of this study (rule A13)."""
    if before is not None and before != session.pk and session.browser_before is None and not session.simulated:
        others = Session.objects.filter(pk=before, study=session.study_id, simulated=False)
        if others.exclude(rater=session.rater_id).exists():
            session.browser_before = before
            session.save(update_fields=["browser_before"])
    return session


def _placed(session: Session, now: datetime) -> Session:
    """End a locked session before consent if every place is taken; reopen one that may return (rule A11).

    Simulated raters and previews are admitted to a full study, too.
    """
    if session.simulated:
        return session
    if session.step == Session.Step.CONSENT and not places.has_open(session.study_id):
        return finishing.finish(session, outcome=Session.Outcome.NO_PLACE, now=now)
    if may_return(session) and facts.by_id(session.study_id).is_live and places.has_open(session.study_id):
        if slow_line.has_left(session):
            slow_line.undo(session)
        session.step = Session.Step.RATING if session.started_at else Session.Step.CONSENT
        session.outcome, session.payable, session.ended_at = Session.Outcome.NONE, None, None
        session.save(update_fields=["step", "outcome", "payable", "ended_at"])
    return session


def may_return(session: Session) -> bool:
    """True if a session ended without a place or for a slow connection, has no erasure, and its pay isn't settled."""
    is_open = not session.simulated and _is_left_open(session) and erasure(session) is None
    return is_open and not any(is_settled(session) for is_settled in hooks.pay_settled)


def _is_left_open(session: Session) -> bool:
    return session.outcome == Session.Outcome.NO_PLACE or slow_line.has_left(session)


@transaction.atomic
def try_again(*, session_id: int, now: datetime) -> Session:
    """Reopen a session that may return, if there is a place now."""
    return _placed(finishing.locked(session_id), now)


def _arrive(
    *, study_id: int, arrival: RaterArrival, now: datetime, simulated: bool, opened_by: int | None, language: str
) -> Session:
    # Serializes arrivals of a person; always locked before the session.
    identity = Identity.objects.with_id(arrival.source, arrival.person).select_for_update(no_key=True).first()
    person = identity.rater_id if identity else None
    known = _known(arrival, person, study_id)
    if known is not None and known.rater_id != person and known.study_id == study_id and arrival.passed_on:
        # The platform has passed these ids on from another person, who returned the submission.
        known, arrival = None, replace(arrival, study=f"{arrival.study[:100]}{APART}{secrets.token_hex(8)}")
    if known is not None:
        if known.rater_id != person or known.study_id != study_id:
            security.warning("%s: its link came with another person or to another study", known)
            raise Conflict("This link belongs to another person or another study.", code="other_person")
        return known
    # A preview opened by an unsigned link must respect the study's state, as a rater must.
    is_real = not simulated or (arrival.preview and arrival.proof == Session.Proof.UNSIGNED)
    study = facts.by_id(study_id)
    if is_real and not study.is_live:
        raise Conflict("This study is not open at the moment.", code="not_open")
    version = study.newest_version
    if identity is None:
        # If ids are passed on, a tombstone doesn't show that this person was erased.
        gone = [] if arrival.passed_on else tombstones(arrival.source, arrival.study, arrival.session)
        if Session.objects.filter(source=arrival.source, ext_study="", ext_session__in=gone).exists():
            raise Conflict("You have taken part in this study before.", code="already_took_part")
        rater = Rater.objects.create(created_at=now)
        Identity.objects.store(rater=rater, source=arrival.source, person=arrival.person)
    else:
        rater = identity.rater
        earlier = _unfinished_session(rater, study_id, facts.frozen(version).definition.crowd, now)
        if earlier is not None:
            earlier.ext_study, earlier.ext_session, earlier.proof = arrival.study, arrival.session, arrival.proof
            earlier.save(update_fields=["ext_study", "ext_session", "proof"])
            return earlier
        if not simulated and took_part_in_pilot(rater_id=rater.pk, study_id=study_id, pilot_of=study.pilot_of):
            raise Conflict("You have taken part in this study before.", code="already_took_part")
        # Only for new sessions: a returning person continues whatever they have heard since.
        recruitment = facts.frozen(version).definition.recruitment
        if not simulated and is_left_out(rater_id=rater.pk, study_id=study_id, recruitment=recruitment, now=now):
            raise Conflict("This study is for people who have not heard its recordings before.", code="left_out")
    return Session.objects.create(
        rater=rater,
        study_id=study_id,
        version_id=version,
        simulated=simulated,
        preview=arrival.preview,
        opened_by_id=opened_by,
        source=arrival.source,
        ext_study=arrival.study,
        ext_session=arrival.session,
        proof=arrival.proof,
        language=language or facts.frozen(version).definition.texts.language,
        arrived_at=now,
    )


def _known(arrival: RaterArrival, person: int | None, study_id: int) -> Session | None:
    """Return the locked session with these platform ids; if ids are passed on, this person's own first."""
    rows = Session.objects.filter(source=arrival.source, ext_session=arrival.session).select_for_update()
    own = rows.filter(rater=person, study=study_id).first() if arrival.passed_on and person else None
    return own or rows.filter(ext_study=arrival.study).first()


def _unfinished_session(rater: Rater, study_id: int, crowd: Crowd, now: datetime) -> Session | None:
    """Return the unfinished session that a returning person continues; None for a new one. Raises `Conflict`."""
    sessions = Session.objects.filter(rater=rater, study_id=study_id).order_by("pk").select_for_update()
    earlier = list(sessions)
    if any(session.outcome in SETTLED and not slow_line.has_left(session) for session in earlier):
        raise Conflict("You have taken part in this study before.", code="already_took_part")
    if sum(session.outcome == Session.Outcome.COMPLETE for session in earlier) >= crowd.sessions_per_person:
        raise Conflict("You have already taken part in this study.", code="already_took_part")
    counting = Q(round=0) | Q(name=AttentionCheck.name)
    unlucky = CheckResult.objects.filter(FAILED & counting, session__in=earlier).exclude(name="device")
    failed = set(unlucky.values_list("session_id", flat=True)) if earlier else set()
    for session in earlier:
        if session.step in OVER and not _is_left_open(session):
            # No new tries for people who failed a check.
            if session.pk in failed and session.outcome != Session.Outcome.COMPLETE:
                raise Conflict("You have taken part in this study before.", code="already_took_part")
        else:
            if crowd.unfinished == "resume" or session.pk in failed:
                return session
            if session.outcome != Session.Outcome.NO_PLACE:
                finishing.finish(session, outcome=Session.Outcome.WITHDRAWN, now=now)
    return None


@transaction.atomic
def change_language(*, session_id: int, language: str) -> Session:
    """Change the language of a session before consent; afterwards it stays."""
    session = finishing.locked(session_id)
    if session.step == Session.Step.CONSENT and language in facts.frozen(session.version_id).definition.languages:
        session.language = language
        session.save(update_fields=["language"])
    return session


@transaction.atomic
def consent(*, session_id: int, agreed: bool, now: datetime, read_in: str = "") -> Session:
    """Record the decision with the hash of the text; a second call changes nothing.

    Consent to a text in another language than the session's (`read_in`) is ignored.
    """
    session = finishing.locked(session_id)
    if session.step != Session.Step.CONSENT:
        return session
    if not agreed:
        return finishing.finish(session, outcome=Session.Outcome.DECLINED, now=now)
    definition = facts.frozen(session.version_id).definition
    if read_in and read_in != (session.language or definition.texts.language):
        return session
    texts = definition.wording(session.language)
    session.consented_at = now
    session.consent_sha256 = sha256_of(texts)
    session.step = Session.Step.CHECKS if is_checked(session, "checks") else Session.Step.INSTRUCTIONS
    session.save(update_fields=["consented_at", "consent_sha256", "step"])
    return session


@transaction.atomic
def begin(*, session_id: int, now: datetime) -> Session:
    """Continue after the instructions; a second call changes nothing."""
    session = finishing.locked(session_id)
    if session.step == Session.Step.INSTRUCTIONS:
        if is_checked(session, "practice"):
            session.step = Session.Step.PRACTICE
            session.save(update_fields=["step"])
        else:
            start(session, now=now)
    return session


def is_checked(session: Session, phase: Phase) -> bool:
    """True if this session has checks in this phase; simulated raters have none."""
    is_program = session.simulated and not session.preview
    return not is_program and bool(screening.checks_of(facts.frozen(session.version_id).definition, phase))


def start(session: Session, *, now: datetime) -> None:
    """Start the rating of a locked session."""
    session.started_at = now
    session.step = Session.Step.RATING
    session.save(update_fields=["started_at", "step"])

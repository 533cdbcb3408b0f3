"""The loop of a session: show a trial, take its answer, show the next."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from core import rng as random
from core.errors import Conflict, Gone, Invalid, NotFound, TooEarly
from core.jobs import QUEUED
from raters.models import Answer, Batch, Rating, Session, Trial
from raters.models.trials import EXPIRED, OPEN
from raters.selectors.progress import Ended, Progress, Window, progress, window
from raters.services import batches, sessions
from studies.protocols.listening import Heard, wait
from studies.selectors import facts


@dataclass(frozen=True, slots=True)
class Submission:
    """What a rater's browser sent for one trial."""

    token: str
    tab: str
    key: UUID
    answer: dict[str, Any]
    evidence: dict[str, Any]


@transaction.atomic
def enter(*, session_id: int, now: datetime, rng: Random) -> Progress:
    """Load the trial page: this tab becomes the one that counts, and there is a batch to work on."""
    session = sessions.locked(session_id)
    session.tab = random.token()
    session.save(update_fields=["tab"])
    return advance(session=session, now=now, rng=rng)


def advance(*, session: Session, now: datetime, rng: Random) -> Progress:
    """Show a locked session's current trial, opening or reopening a batch as needed."""
    if session.step == Session.Step.ENDED:
        return Ended(session.tab)
    if session.step != Session.Step.RATING:
        raise Conflict("The instructions come first.", code="not_started")
    batch = Batch.objects.filter(session=session, state__in=[OPEN, EXPIRED]).order_by("number").first()
    if batch is not None:
        batches.keep(batch=batch, protocol=facts.frozen(session.version_id).protocol, now=now)
    if batch is None:
        batch = batches.open_next(session=session, now=now, rng=rng)
    if batch is None:
        sessions.finish(session, outcome=Session.Outcome.COMPLETE, now=now)
        return Ended(session.tab)
    found = window(batch)
    if found.current.served_at is None:
        Trial.objects.filter(pk=found.current.trial, served_at=None).update(served_at=now)
    return progress(session, batch, found, now)


def resume(*, session_id: int, tab: str, now: datetime, rng: Random) -> Progress:
    """Return what the newest tab should show; an older tab is told so."""
    with transaction.atomic():
        session = sessions.locked(session_id)
        if session.tab != tab:
            raise other_tab()
        return advance(session=session, now=now, rng=rng)


def other_tab() -> Conflict:
    return Conflict("This goes on in another tab.", code="other_tab")


def submit(*, session_id: int, sent: Submission, now: datetime, rng: Random) -> tuple[Progress, int | None]:
    """Store one answer and show what comes next; also returns the batch that it filled, for the worker.

    The answer is committed before the next batch is claimed: whatever happens then, it is kept. The same submission
    sent again stores nothing and returns the same way.
    """
    try:
        with transaction.atomic():
            following, filled = _store(session_id=session_id, sent=sent, now=now)
    except IntegrityError as error:
        raise Conflict("This key was used for another answer.", code="key_used") from error
    if following is None:
        following = resume(session_id=session_id, tab=sent.tab, now=now, rng=rng)
    return following, filled


def _store(*, session_id: int, sent: Submission, now: datetime) -> tuple[Progress | None, int | None]:
    trial = (
        Trial.objects.select_for_update(of=("self", "batch"))
        .select_related("batch", "session")
        .filter(token=sent.token, session=session_id)
        .first()
    )
    if trial is None:
        raise NotFound("There is no such trial.")
    batch, session = trial.batch, trial.session
    if trial.answered_at is not None:
        if Answer.objects.filter(trial=trial, idempotency=sent.key).exists():
            return None, None
        raise Conflict("This clip has been answered already.", code="already_answered")
    if session.tab != sent.tab:
        raise other_tab()
    if session.step == Session.Step.ENDED:
        raise Gone("This session has ended.")
    frozen = facts.frozen(session.version_id)
    batches.keep(batch=batch, protocol=frozen.protocol, now=now)
    if trial.served_at is None:
        raise Conflict("Another clip comes first.", code="not_current")
    # A trial is served only once those before it are answered, so the window begins with this one.
    found = window(batch, since=trial.position)
    answer = frozen.kind.answer(sent.answer)
    shown = frozen.kind_shown(trial.shown)
    problems = frozen.kind.problems(frozen.params, shown, answer)
    if problems:
        raise Invalid("The answer needs a change.", problems)
    if frozen.protocol.playback == "enforce":
        _require_listening(found, now)
    stored = Answer.objects.create(
        trial=trial,
        idempotency=sent.key,
        body=answer.model_dump(mode="json"),
        reason=frozen.kind.reason(answer),
        evidence=sent.evidence,
        at=now,
    )
    clips = {clip.place: clip.clip for clip in found.current.clips}
    Rating.objects.bulk_create(
        Rating(
            study_id=session.study_id,
            trial_id=stored.pk,
            clip_id=None if row.place is None else clips[row.place],
            part=row.part,
            code=row.code,
            value=row.value,
        )
        for row in frozen.kind.rows(frozen.params, shown, answer)
    )
    is_late = batch.expired_at is not None
    Trial.objects.filter(pk=trial.pk).update(answered_at=now, **({"late": True} if is_late else {}))
    if found.following is None:
        Batch.objects.filter(pk=batch.pk).update(state=QUEUED, queued_at=now, lease_until=None)
        return None, batch.pk
    Trial.objects.filter(pk=found.following.trial).update(served_at=now)
    return progress(session, batch, found.advanced(), now), None


def _require_listening(found: Window, now: datetime) -> None:
    clips = [Heard(clip.seconds, clip.fetched, clip.began) for clip in found.current.clips]
    early = wait(clips, now)
    if early is not None:
        raise TooEarly("Please listen to the whole clip first.", retry_after=early.seconds, code=early.code)

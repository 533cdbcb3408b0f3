"""The rating loop: show a trial, store its answer, show the next one."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import Any, NamedTuple
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.db.models import Case, DateTimeField, F, Q, Subquery, When

from core import rng as random
from core.database.prepared import Insert, Objects, Pairs, Parameter, Rows, Update, write_together
from core.errors import Conflict, Gone, Invalid, NotFound, TooEarly
from core.jobs import QUEUED
from core.operations import logs
from raters.people.models import OVER, Session
from raters.rating import batches, finishing, hooks, sent_bytes
from raters.rating.models import CLOSED, EXPIRED, OPEN, Answer, Batch, Rating, Trial, TrialClip
from raters.rating.progress import (
    AHEAD,
    CLIP_COLUMNS,
    ClipRow,
    NoTrial,
    Progress,
    Window,
    in_order,
    progress,
    window,
)
from studies.definition import facts
from studies.rules.listening import wait


@dataclass(frozen=True, slots=True)
class SubmittedAnswer:
    """A rater's submission for one trial, as sent by the browser."""

    token: str
    tab: str
    key: UUID
    answer: dict[str, Any]
    evidence: dict[str, Any]


class TrialContext(NamedTuple):
    """The session, batch and trial that an answer belongs to."""

    batch: int
    number: int
    size: int
    state: str
    lease_until: datetime | None
    expired_at: datetime | None
    trial: int
    position: int
    study: int
    version: int
    step: str
    tab: str
    started_at: datetime | None

    def progress(self, trial_window: Window, now: datetime) -> Progress:
        """Return the page state for the window's first trial."""
        where = {"version": self.version, "number": self.number, "size": self.size}
        return progress(trial_window, tab=self.tab, started_at=self.started_at, now=now, **where)


# Locks the batch: all code that writes trials locks their batch first.
LOCKED = Rows(
    TrialContext,
    lambda: Batch.objects.select_for_update(of=("self",)).filter(
        trials__token=Parameter("token"), session=Parameter("session")
    ),
    batch="pk",
    trial="trials__pk",
    position="trials__position",
    study="session__study_id",
    version="session__version_id",
    step="session__step",
    tab="session__tab",
    started_at="session__started_at",
)
CONTEXT_COLUMNS = {
    "batch": "trial__batch_id",
    "number": "trial__batch__number",
    "size": "trial__batch__size",
    "state": "trial__batch__state",
    "lease_until": "trial__batch__lease_until",
    "expired_at": "trial__batch__expired_at",
    "trial": "trial__batch__trials__pk",
    "position": "trial__batch__trials__position",
    "study": "trial__session__study_id",
    "version": "trial__session__version_id",
    "step": "trial__session__step",
    "tab": "trial__session__tab",
    "started_at": "trial__session__started_at",
}
# The same without a lock, with the trial's window: one row per clip.
AT_ONCE = Pairs(
    (TrialContext, CONTEXT_COLUMNS),
    (ClipRow, CLIP_COLUMNS),
    lambda: TrialClip.objects.filter(
        trial__batch__trials__token=Parameter("token"),
        trial__session=Parameter("session"),
        trial__position__gte=F("trial__batch__trials__position"),
        trial__position__lte=F("trial__batch__trials__position") + AHEAD,
        trial__answered_at=None,
        trial__skipped_at=None,
    ).order_by("trial__position", "place"),
)
# Locked, because a last answer arriving at the same time closes the batch.
UNFINISHED = Objects(
    Batch,
    lambda: (
        Batch.objects.select_for_update(of=("self",))
        .filter(session=Parameter("session"), state__in=[OPEN, EXPIRED])
        .order_by("number")
    ),
)
NOW = Parameter("now", DateTimeField())
MARK_TAB = Update(lambda: Session.objects.filter(pk=Parameter("session")), tab=Parameter("tab"))
MARK_FULL = Update(lambda: Batch.objects.filter(pk=Parameter("batch")), state=QUEUED, queued_at=NOW, lease_until=None)
ADD_ANSWER = Insert(Answer)
ADD_RATING = Insert(Rating)
MARK_SERVED = Update(lambda: Trial.objects.filter(pk=Parameter("trial"), served_at=None), served_at=NOW)
# Whether an answer is late, read from the locked batch. NULL if the batch or trial has been closed; the column refuses
# NULL, so the whole statement fails.
LATE = Subquery(
    Batch.objects.select_for_update()
    .filter(pk=Parameter("batch"), state=OPEN)
    .annotate(is_late=Q(expired_at__isnull=False))
    .values("is_late")
)
MARK_ANSWERED = Update(
    lambda: Trial.objects.filter(pk=Parameter("trial")),
    answered_at=NOW,
    late=Case(When(answered_at=None, skipped_at=None, then=LATE)),
)
# One update for the answer and the next trial, because the overhead per statement is high.
MARK_BOTH = Update(
    lambda: Trial.objects.filter(pk__in=[Parameter("trial"), Parameter("following")]),
    answered_at=Case(When(pk=Parameter("trial"), then=NOW), default=F("answered_at")),
    late=Case(
        When(pk=Parameter("following"), then=F("late")),
        When(answered_at=None, skipped_at=None, then=LATE),
    ),
    served_at=Case(When(pk=Parameter("following"), then=NOW), default=F("served_at")),
)


def enter(*, session_id: int, now: datetime, rng: Random) -> Progress:
    """Load the rating page: make this tab the current one, and open a batch if needed."""

    def work(wait_for: int | None) -> Progress:
        session = finishing.locked(session_id)
        session.tab = random.token()
        MARK_TAB(session=session.pk, tab=session.tab)
        return _advance(session=session, now=now, rng=rng, wait_for=wait_for)

    return batches.in_turn(work)


def resume(*, session_id: int, tab: str, now: datetime, rng: Random) -> Progress:
    """Return the page state for the newest tab; raises `Conflict` for an older tab."""

    def work(wait_for: int | None) -> Progress:
        session = finishing.locked(session_id)
        if session.tab != tab:
            raise other_tab()
        return _advance(session=session, now=now, rng=rng, wait_for=wait_for)

    return batches.in_turn(work)


def _advance(*, session: Session, now: datetime, rng: Random, wait_for: int | None) -> Progress:
    """Show a locked session's current trial, opening or reopening a batch as needed."""
    if session.step in OVER or (session.step == Session.Step.CHECKS and session.started_at is not None):
        return NoTrial(session.tab)
    if session.step != Session.Step.RATING:
        raise Conflict("The instructions come first.", code="not_started")
    earlier = batches.earlier_batches(session)
    unfinished = UNFINISHED(session=session.pk) if any(batch.is_unfinished for batch in earlier) else []
    batch: Batch | batches.OpenedBatch | None
    if unfinished:
        batch = unfinished[0]
        protocol = facts.frozen(session.version_id).protocol
        batches.renew_lease(
            batch=batch.pk, state=batch.state, lease_until=batch.lease_until, protocol=protocol, now=now
        )
        trial_window = window(batch.pk)
        if trial_window.current.served_at is None:
            MARK_SERVED(trial=trial_window.current.trial, now=now)
    elif any(begins(session=session, now=now, rng=rng) for begins in hooks.between_batches):
        return NoTrial(session.tab)
    else:
        batch = batches.open_next(session=session, earlier=earlier, now=now, rng=rng, wait_for=wait_for)
        if batch is None:
            finishing.finish_rated(session, now=now)
            return NoTrial(session.tab)
        trial_window = batch.window
    where = {"version": session.version_id, "number": batch.number, "size": batch.size}
    return progress(trial_window, tab=session.tab, started_at=session.started_at, now=now, **where)


def other_tab() -> Conflict:
    return Conflict("This study is open in another tab.", code="other_tab")


def submit(*, session_id: int, sent: SubmittedAnswer, now: datetime, rng: Random) -> tuple[Progress, int | None]:
    """Store an answer; return the next page state, and the batch that is full now, if any, for the worker.

    The answer is committed before the next batch is claimed, so later errors can't lose it. A repeated submission
    stores nothing and returns the same.
    """
    try:
        # Without an outer transaction, the single statement is atomic by itself.
        with transaction.atomic() if connection.in_atomic_block else nullcontext():
            following, filled = _store_at_once(session_id=session_id, sent=sent, now=now)
    except (_Unusual, IntegrityError):
        try:
            with transaction.atomic():
                following, filled = _store_locked(session_id=session_id, sent=sent, now=now)
        except IntegrityError as error:
            raise Conflict("This key was used for another answer.", code="key_used") from error
    if following is None:
        following = resume(session_id=session_id, tab=sent.tab, now=now, rng=rng)
    return following, filled


class _Unusual(Exception):
    """An answer that can't be stored without locking its batch first."""


# The next page state (None: not known yet), and the batch that is full now.
Stored = tuple[Progress | None, int | None]


def _store_at_once(*, session_id: int, sent: SubmittedAnswer, now: datetime) -> Stored:
    """Store an answer with one query and one statement, which fails if the batch changed in between.

    Raises `_Unusual` or `IntegrityError` if that isn't possible; nothing is stored then.
    """
    # SQLite can't write several tables in one statement, and has no round trips to save.
    rows = AT_ONCE(token=sent.token, session=session_id) if connection.vendor == "postgresql" else []
    if not rows:
        raise _Unusual
    context, trial_window = rows[0][0], in_order(clip for _, clip in rows)
    protocol = facts.frozen(context.version).protocol
    if trial_window.current.trial != context.trial or context.state != OPEN:
        raise _Unusual
    if batches.needs_renewal(lease_until=context.lease_until, protocol=protocol, now=now):
        raise _Unusual
    return _store(context, trial_window, sent, now)


def _store_locked(*, session_id: int, sent: SubmittedAnswer, now: datetime) -> Stored:
    """Store an answer in a transaction that locks its batch."""
    found = LOCKED(token=sent.token, session=session_id)
    if not found:
        raise NotFound("There is no such trial.")
    [context] = found
    # The window starts with this trial, because trials are served only after all earlier ones are answered.
    trial_window = window(context.batch, since=context.position)
    if not trial_window.trials or trial_window.current.trial != context.trial:
        if Answer.objects.filter(trial=context.trial, idempotency=sent.key).exists():
            return None, None
        raise Conflict("This clip has been answered already.", code="already_answered")
    _require_place(context, sent)
    protocol = facts.frozen(context.version).protocol
    batches.renew_lease(
        batch=context.batch, state=context.state, lease_until=context.lease_until, protocol=protocol, now=now
    )
    return _store(context, trial_window, sent, now)


def _require_place(context: TrialContext, sent: SubmittedAnswer) -> None:
    if context.tab != sent.tab:
        raise other_tab()
    if context.step in OVER or context.state == CLOSED:
        raise Gone("This session has ended.")


def _store(context: TrialContext, trial_window: Window, sent: SubmittedAnswer, now: datetime) -> Stored:
    """Check the answer to the window's first trial, and store it with all its effects in one statement."""
    logs.bind(trial=context.trial)
    _require_place(context, sent)
    frozen = facts.frozen(context.version)
    if trial_window.current.served_at is None:
        raise Conflict("Another clip comes first.", code="not_current")
    answer = frozen.kind.answer(sent.answer)
    shown = frozen.kind_shown(trial_window.current.shown, [clip.key for clip in trial_window.current.clips])
    problems = frozen.kind.problems(frozen.params, shown, answer)
    if problems:
        raise Invalid("The answer needs a change.", problems)
    if frozen.protocol.playback == "enforce":
        plays = min(frozen.kind.plays(frozen.params), frozen.protocol.max_plays or sys.maxsize)
        _require_listening(trial_window, now, plays)
    new = {
        "trial_id": context.trial,
        "idempotency": sent.key,
        "body": answer.model_dump(mode="json"),
        "reason": frozen.kind.reason(answer),
        "evidence": sent.evidence,
        "at": now,
    }
    clips = {clip.place: clip.clip for clip in trial_window.current.clips}
    ratings = [
        {
            "study_id": context.study,
            "trial_id": context.trial,
            "clip_id": None if row.place is None else clips[row.place],
            "place": row.place,
            "question_id": row.question,
            "part": row.part,
            "code": row.code,
            "value": row.value,
            "note": row.note,
        }
        for row in frozen.kind.rows(frozen.params, shown, answer)
    ]
    stored = [ADD_ANSWER.statement([new]), *([ADD_RATING.statement(ratings)] if ratings else [])]
    moment = {"trial": context.trial, "batch": context.batch, "now": now}
    if trial_window.following is None:
        full = MARK_FULL.statement({"batch": context.batch, "now": now})
        write_together(MARK_ANSWERED.statement(moment), *stored, full)
        return None, context.batch
    write_together(MARK_BOTH.statement({**moment, "following": trial_window.following.trial}), *stored)
    return context.progress(trial_window.advanced(), now), None


def _require_listening(trial_window: Window, now: datetime, plays: int) -> None:
    early = wait([clip.playback for clip in trial_window.current.clips], now, plays)
    if early is None:
        return
    missing = sent_bytes.missing_bytes(trial_window.current.trial) if early.code == "not_played" else {}
    raise TooEarly(
        "Please listen to the whole clip first.", retry_after=early.seconds, code=early.code, missing=missing
    )

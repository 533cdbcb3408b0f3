"""Request and undo erasures of answers or of a person. The data is excluded from use at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from core.errors import Conflict, NotFound
from core.files import storage
from core.jobs import DONE, QUEUED, RUNNING
from raters.people.models import DELETION, UNDONE, Erasure, Identity, Rater, Session
from raters.privacy import ledger
from raters.rating import finishing, verdicts
from raters.rating.models import Verdict

if TYPE_CHECKING:
    from accounts.users.models import User

TO_THINK = timedelta(hours=24)
ACTIVE = (QUEUED, RUNNING)


def delete_answers(*, session_id: int, now: datetime, by: User | None = None) -> Erasure:
    """End the session if it is open, and schedule the deletion of its answers in 24 hours; repeats change nothing."""
    session = _session(session_id)
    due = now + TO_THINK
    return _listed(
        partial(_mark_session, session_id, now, due, by),
        ledger.add(kind=Erasure.Kind.ANSWERS, rater=session.rater, session=session, asked_at=now, due_at=due),
    )


def erase_person(*, rater_id: int, now: datetime, by: User | None) -> Erasure:
    """Request the deletion of a person's data in all studies, as soon as a worker is free."""
    rater = Rater.objects.filter(pk=rater_id).first()
    if rater is None:
        raise NotFound(_("There is no such rater."))
    return _listed(
        partial(_mark_person, rater_id, now, now, by),
        ledger.add(kind=Erasure.Kind.PERSON, rater=rater, session=None, asked_at=now, due_at=now),
    )


def request_again(*, entry: ledger.ErasureEntry, name: str) -> Erasure | None:
    """Request a listed erasure again after a restore; None if it is done, undone or from another database."""
    whom = ledger.people_of(entry)
    if whom is None or Erasure.objects.filter(Q(erased_at__isnull=False) | Q(state=UNDONE), listed=name).exists():
        return None
    known = Erasure.objects.filter(listed=name, state__in=ACTIVE).first()
    if known is not None:
        return known
    rater, session = whom
    asked_at, due = datetime.fromisoformat(entry.asked_at), datetime.fromisoformat(entry.due_at)
    mark = (
        partial(_mark_person, rater.pk, asked_at, due, None)
        if session is None
        else partial(_mark_session, session.pk, asked_at, due, None)
    )
    return mark(name)


@transaction.atomic
def undo(*, erasure_id: int, now: datetime, by: User | None = None) -> Erasure:
    """Undo a request before it is due; the answers are usable again. Raises `Conflict` when it is too late."""
    erasure = Erasure.objects.select_related("session").filter(pk=erasure_id).first()
    if erasure is None:
        raise NotFound(_("There is no such request."))
    if erasure.session is None:
        raise Conflict(_("The erasure of a person can’t be cancelled."), code="too_late")
    # All writers lock the session first.
    finishing.locked(erasure.session.pk)
    taken_back = Erasure.objects.filter(pk=erasure_id, state=QUEUED, queued_at__gt=now, erased_at=None).update(
        state=UNDONE, undone_at=now, undone_by=by, ended_at=now
    )
    if not taken_back:
        raise Conflict(
            _("This request can’t be cancelled: the answers are deleted, or it was cancelled before."), code="too_late"
        )
    active = Verdict.objects.filter(session=erasure.session, rule=DELETION, revoked_at=None)
    for key in list(active.values_list("pk", flat=True)):
        verdicts.revoke(verdict_id=key, by=by, now=now, undoes_deletion=True)
    transaction.on_commit(partial(storage.discard, erasure.listed), robust=True)
    erasure.refresh_from_db()
    return erasure


def _session(session_id: int) -> Session:
    session = Session.objects.select_related("rater").filter(pk=session_id).first()
    if session is None:
        raise NotFound("There is no such session.")
    return session


def _listed(mark: Callable[[str], Erasure], name: str) -> Erasure:
    """Mark rows for deletion. The ledger entry is written first: a mark without one would be lost in a restore."""
    try:
        erasure = mark(name)
    except BaseException:
        storage.discard(name)
        raise
    if erasure.listed != name:
        storage.discard(name)
    return erasure


@transaction.atomic
def _mark_session(session_id: int, asked_at: datetime, due: datetime, by: User | None, name: str) -> Erasure:
    session = finishing.locked(session_id)
    known = Erasure.objects.filter(session=session, state__in=[*ACTIVE, DONE]).first()
    if known is not None:
        return known
    end_and_exclude([session], asked_at, by)
    return _new(Erasure.Kind.ANSWERS, session.rater_id, session, asked_at, due, by, name)


@transaction.atomic
def _mark_person(rater_id: int, asked_at: datetime, due: datetime, by: User | None, name: str) -> Erasure:
    theirs = lock_person(rater_id)
    known = Erasure.objects.filter(rater=rater_id, session=None, state__in=ACTIVE).first()
    if known is not None:
        return known
    end_and_exclude(theirs, asked_at, by)
    return _new(Erasure.Kind.PERSON, rater_id, None, asked_at, due, by, name)


def lock_person(rater_id: int) -> list[Session]:
    """Lock a person's rows in the usual order: identities, sessions, rater."""
    list(Identity.objects.filter(rater=rater_id).order_by("pk").select_for_update(no_key=True))
    theirs = list(Session.objects.filter(rater=rater_id).order_by("pk").select_for_update())
    Rater.objects.select_for_update(no_key=True).get(pk=rater_id)
    return theirs


def end_and_exclude(theirs: Iterable[Session], now: datetime, by: User | None) -> None:
    """End open sessions, and exclude all of them from use."""
    for session in theirs:
        if session.step == Session.Step.QUESTIONS:
            session.step = Session.Step.ENDED
            session.save(update_fields=["step"])
        elif session.step != Session.Step.ENDED:
            finishing.finish(session, outcome=Session.Outcome.WITHDRAWN, now=now)
        verdicts.exclude(session=session.pk, rule=DELETION, by=by, now=now, detail={})


def _new(
    kind: Erasure.Kind,
    rater_id: int,
    session: Session | None,
    asked_at: datetime,
    due: datetime,
    by: User | None,
    name: str,
) -> Erasure:
    return Erasure.objects.create(
        kind=kind,
        rater_id=rater_id,
        session=session,
        queued_at=due,
        asked_at=asked_at,
        asked_by=by,
        listed=name,
    )

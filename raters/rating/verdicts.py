"""Exclude data by verdicts, revoke verdicts, and settle the affected batches at once."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils.translation import gettext as _

from core.errors import Conflict, Invalid, NotFound
from raters.people.models import DELETION, Rater, Session
from raters.rating.models import Answer, Batch, Trial, Verdict
from raters.rating.settling import settle
from studies.clips import tables as clips_tables
from studies.pool import claiming
from studies.rules import validity

if TYPE_CHECKING:
    from accounts.users.models import User

# Exports join rules with |.
RULE = re.compile(r"[a-z0-9_]{1,40}")
BATCHES = 500
PLACES = 5000


@transaction.atomic
def exclude(
    *,
    answer: int | None = None,
    batch: int | None = None,
    session: int | None = None,
    rater: int | None = None,
    clip: int | None = None,
    rule: str,
    by: User | None,
    now: datetime,
    detail: Mapping[str, Any],
) -> Verdict:
    """Exclude one thing from use, and release the places of its trials.

    Pass exactly one key. If the same rule excludes it already, returns that verdict. A clip costs a few statements per
    500 batches.
    """
    subjects = {"answer": answer, "batch": batch, "session": session, "rater": rater, "clip": clip}
    subject_keys = [(subject, pk) for subject, pk in subjects.items() if pk is not None]
    if len(subject_keys) != 1:
        raise Invalid(_("Name one thing to exclude: an answer, a batch, a session, a rater or a clip."))
    if not RULE.fullmatch(rule) or rule in {validity.RULE, validity.MISSING}:
        raise Invalid(
            _("Name the rule in small letters, digits and underscores; “{name}” can’t be it.").format(name=rule)
        )
    [(subject, pk)] = subject_keys
    batches = _lock(subject, pk)
    on = {f"{subject}_id": pk}
    known = Verdict.objects.filter(**on, rule=rule, usable=False, revoked_at=None).order_by("pk").first()
    if known is not None:
        return known
    verdict = Verdict.objects.create(**on, rule=rule, usable=False, by=by, at=now, detail=dict(detail))
    _settle(batches)
    return verdict


@transaction.atomic
def revoke(*, verdict_id: int, by: User | None, now: datetime, undoes_deletion: bool = False) -> Verdict:
    """Revoke a verdict. Data that only it excluded becomes usable; marked surplus if its place was refilled.

    The row stays, with the user who revoked it. Raises `Conflict` if it was revoked before, or belongs to a request for
    deletion, which must be cancelled instead.
    """
    verdict = Verdict.objects.filter(pk=verdict_id).first()
    if verdict is None:
        raise NotFound(_("This verdict doesn’t exist."))
    if verdict.rule == DELETION and not undoes_deletion:
        raise Conflict(
            _(
                "This verdict can’t be revoked: the rater asked for deletion. Cancel the deletion instead, "
                "while there is time."
            )
        )
    batches = _lock(*_subject(verdict))
    verdict = Verdict.objects.select_for_update(no_key=True).get(pk=verdict_id)
    if verdict.revoked_at is not None:
        raise Conflict(_("This verdict has already been revoked."), code="already_revoked")
    verdict.revoked_at = now
    who = None if by is None else by.get_username()
    verdict.detail = {**verdict.detail, "revoked_by": who}
    verdict.save(update_fields=["revoked_at", "detail"])
    _settle(batches)
    return verdict


def _subject(verdict: Verdict) -> tuple[str, int]:
    """Return the kind and key of the thing a verdict is about."""
    keys = {subject: getattr(verdict, f"{subject}_id") for subject in ("answer", "batch", "session", "rater", "clip")}
    return next((subject, pk) for subject, pk in keys.items() if pk is not None)


def _lock(subject: str, pk: int) -> list[int]:
    """Lock everything that a verdict on this subject affects; return the batches to settle. Raises `NotFound`.

    Lock order: sessions, rater, batches, each by primary key; settling locks the places last. Batches opened later are
    settled when they are validated.
    """
    sessions: Collection[int] = ()
    batches = Batch.objects.all()
    if subject == "answer":
        keys = Answer.objects.filter(pk=pk).values_list("trial__session_id", "trial__batch_id").first()
        if keys is None:
            raise _missing()
        sessions, batches = [keys[0]], batches.filter(pk=keys[1])
    elif subject == "batch":
        sessions = list(Batch.objects.filter(pk=pk).values_list("session_id", flat=True))
        batches = batches.filter(pk=pk)
    elif subject == "session":
        sessions, batches = [pk], batches.filter(session=pk)
    elif subject == "rater":
        if not Rater.objects.filter(pk=pk).exists():
            raise _missing()
        sessions = list(Session.objects.filter(rater=pk).values_list("pk", flat=True))
        batches = batches.filter(session__in=sessions)
    else:
        if not clips_tables.exists(pk):
            raise _missing()
        # By the item, because trials have an index on it.
        batches = batches.filter(pk__in=Trial.objects.filter(item__clips__clip=pk).values("batch"))
    locked = Session.objects.select_for_update(no_key=True).filter(pk__in=sessions).order_by("pk")
    if not locked.values_list("pk", flat=True) and subject in {"session", "batch"}:
        raise _missing()
    if subject == "rater":
        # After the sessions, as when a batch is opened.
        list(Rater.objects.select_for_update(no_key=True).filter(pk=pk).values_list("pk"))
    return list(batches.select_for_update(no_key=True, of=("self",)).order_by("pk").values_list("pk", flat=True))


def _settle(batches: Sequence[int]) -> None:
    """Settle locked batches, in chunks if there are many."""
    if len(batches) > BATCHES:
        # Lock all places in order first: chunks may share places, and locking by chunk could deadlock.
        places: set[int] = set()
        for part in _parts(batches, BATCHES):
            trials = Trial.objects.filter(batch__in=part, pool__isnull=False)
            places.update(trials.values_list("pool_id", flat=True))
        for some in _parts(sorted(places), PLACES):
            claiming.lock(some)
    for part in _parts(batches, BATCHES):
        settle(batch_ids=part)


def _parts(keys: Sequence[int], size: int) -> Iterator[list[int]]:
    each = iter(keys)
    while part := list(islice(each, size)):
        yield part


def _missing() -> NotFound:
    return NotFound(_("There is no such answer, batch, session, rater or clip to exclude."))

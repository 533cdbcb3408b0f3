"""Carry an erasure out: rows in one transaction, then the files that were made of them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime
from typing import Any

from django.db import models, transaction

from core import jobs
from core.jobs import DONE, QUEUED
from raters.models import Batch, Erasure, Rater, Session
from raters.models.trials import CLOSED
from raters.selectors import rights
from raters.services.erasing import asking, ledger, reach
from raters.services.erasing.kept import Blank, emptied
from raters.services.settling import settle
from studies import hooks


def carry_out(*, pk: int, clock: Callable[[], datetime]) -> bool:
    """Delete what an erasure names; False when another worker has it, it was undone, or its time has not come."""
    now = clock()
    if not Erasure.objects.filter(pk=pk, queued_at__lte=now).exists():
        return False
    erasure = jobs.claim(Erasure, pk, now)
    if erasure is None:
        return False
    if erasure.erased_at is None:
        erase_rows(erasure, now)
    studies = set(theirs(erasure).values_list("study_id", flat=True))
    for hook in hooks.erasures:
        for study in sorted(studies):
            hook.files(study)
    return jobs.finish(erasure, clock())


def replay(*, clock: Callable[[], datetime]) -> int:
    """Go through the list of erasures after a restore, and return how many were asked for again.

    What is due is deleted before this returns; the rest waits for its time, unusable as it was.
    """
    number = 0
    for name, entry in list(ledger.entries()):
        erasure = asking.again(entry=entry, name=name)
        if erasure is not None:
            carry_out(pk=erasure.pk, clock=clock)
            number += 1
    return number


@transaction.atomic
def erase_rows(erasure: Erasure, now: datetime) -> None:
    """Delete and empty all rows that hang on the session, or on the rater, and give back what they held."""
    is_person = erasure.session_id is None
    locked = asking.locked(erasure.rater_id) if is_person else list(theirs(erasure).select_for_update())
    # One that was opened after it was asked for.
    kept_out = set(rights.kept_out(locked))
    asking.keep_out([session for session in locked if session.pk not in kept_out], now, erasure.asked_by)
    batches = Batch.objects.filter(session__in=locked)
    # Nobody decides them any more: a worker that has one finds it gone.
    batches.exclude(state=DONE).update(state=CLOSED, lease_until=None)
    root, keys = (Rater, [erasure.rater_id]) if is_person else (Session, [erasure.session_id])
    found = reach.rows(root, keys)
    for model, rows in found.doomed.items():
        for some in reach.parts(rows):
            model._base_manager.filter(pk__in=some)._raw_delete(using=model._base_manager.db)
    for model, rows in found.kept.items():
        write(model, rows, emptied(model, person=is_person))
    settle(batch_ids=list(batches.order_by("pk").values_list("pk", flat=True)))
    for study in {session.study_id for session in locked}:
        for hook in hooks.erasures:
            hook.rows(study, 1, now)
    if is_person:
        # Asked for before, one by one.
        Erasure.objects.filter(rater=erasure.rater_id, state=QUEUED).update(state=DONE, erased_at=now, ended_at=now)
    counts = {model._meta.model_name: len(rows) for model, rows in found.doomed.items() if rows}
    Erasure.objects.filter(pk=erasure.pk).update(erased_at=now, counts=counts)


def theirs(erasure: Erasure) -> models.QuerySet[Session]:
    """Return the sessions that an erasure is about."""
    if erasure.session_id is None:
        return Session.objects.filter(rater=erasure.rater_id)
    return Session.objects.filter(pk=erasure.session_id)


def write(model: type[models.Model], keys: Collection[Any], blank: Blank) -> None:
    """Write what stands for nothing into the columns of rows that stay."""
    made = {name: value for name, value in blank.items() if callable(value)}
    plain = {name: value for name, value in blank.items() if name not in made}
    for some in reach.parts(keys):
        rows = model._base_manager.filter(pk__in=some)
        if made:
            # Made of what the others are about to lose.
            changed = list(rows)
            for row in changed:
                for name, make in made.items():
                    setattr(row, name, make(row))
            model._base_manager.bulk_update(changed, list(made), batch_size=reach.CHUNK)
        if plain:
            rows.update(**plain)

"""Carry out erasures: follow all relations, delete rows in one transaction, then the files made from them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import models, transaction

from core import clock, jobs
from core.database import sqlite
from core.database.references import CHUNK, Model, parts, referencing_keys, referencing_tables
from core.jobs import DONE, QUEUED
from raters.people.models import Erasure, Rater, Session
from raters.privacy import identities, ledger, requests
from raters.privacy.kept_tables import KEPT, Blank, blank_values
from raters.rating import rights
from raters.rating.models import CLOSED, Batch
from raters.rating.settling import settle
from studies import hooks


@dataclass(frozen=True, slots=True)
class ReachedRows:
    """Primary keys by table, of rows to delete and rows to blank."""

    to_delete: dict[Model, set[Any]] = field(default_factory=lambda: defaultdict(set))
    to_blank: dict[Model, set[Any]] = field(default_factory=lambda: defaultdict(set))


def reached_rows(root: Model, keys: Collection[Any], *, only: Collection[Model] | None = None) -> ReachedRows:
    """Return all rows that refer to these rows, directly or indirectly; a few statements per table and chunk.

    A row is deleted if its table is not in `KEPT`, or if it refers to a deleted row. With `only`, other tables are
    skipped.
    """
    reached = ReachedRows()
    waiting: list[tuple[Model, set[Any], bool]] = [(root, set(keys), False)]
    while waiting:
        model, some, is_deleted = waiting.pop()
        into = reached.to_delete if is_deleted else reached.to_blank
        new = some - into.get(model, set()) - (set() if is_deleted else reached.to_delete.get(model, set()))
        if not new:
            continue
        into[model] |= new
        if is_deleted and model in reached.to_blank:
            reached.to_blank[model] -= new
        for child, name in referencing_tables(model):
            if only is not None and child not in only:
                continue
            below = {key for part in parts(new) for key in referencing_keys(child, {f"{name}__in": part})}
            if below:
                waiting.append((child, below, is_deleted or child not in KEPT))
    return reached


def carry_out(*, pk: int, clock: Callable[[], datetime]) -> bool:
    """Carry out an erasure; False if another worker has it, it was undone, or it is not due yet."""
    now = clock()
    if not Erasure.objects.filter(pk=pk, queued_at__lte=now).exists():
        return False
    erasure = jobs.claim(Erasure, pk, now)
    if erasure is None:
        return False
    if erasure.erased_at is None:
        erase_rows(erasure, now)
    studies = set(sessions_of(erasure).values_list("study_id", flat=True))
    for hook in hooks.erasures:
        for study in sorted(studies):
            hook.files(study)
    # SQLite's log still contains the deleted rows. If it can't be emptied now, the next worker tries again.
    return sqlite.empty_log() and jobs.finish(erasure, clock())


def replay(*, clock: Callable[[], datetime]) -> int:
    """Request all erasures of the ledger again after a restore; return the number of those needed.

    Those that are due are carried out at once; the others wait, with their answers excluded.
    """
    number = 0
    for name, entry in list(ledger.entries()):
        erasure = requests.request_again(entry=entry, name=name)
        if erasure is not None:
            carry_out(pk=erasure.pk, clock=clock)
            number += 1
    return number


@transaction.atomic
def erase_rows(erasure: Erasure, now: datetime) -> None:
    """Delete or blank all rows of the session or the rater, and release their places."""
    is_person = erasure.session_id is None
    locked = requests.lock_person(erasure.rater_id) if is_person else list(sessions_of(erasure).select_for_update())
    # Sessions opened after the request aren't excluded yet.
    kept_out = set(rights.deletion_requested(locked))
    requests.end_and_exclude([session for session in locked if session.pk not in kept_out], now, erasure.asked_by)
    batches = Batch.objects.filter(session__in=locked)
    # Prevents validation, also by a worker that has already claimed a batch.
    batches.exclude(state=DONE).update(state=CLOSED, lease_until=None)
    root, keys = (Rater, [erasure.rater_id]) if is_person else (Session, [erasure.session_id])
    reached = reached_rows(root, keys)
    for model, rows in reached.to_delete.items():
        for some in parts(rows):
            model._base_manager.filter(pk__in=some)._raw_delete(using=model._base_manager.db)
    for model, rows in reached.to_blank.items():
        blank_columns(model, rows, blank_values(model, person=is_person))
    settle(batch_ids=list(batches.order_by("pk").values_list("pk", flat=True)))
    for study in {session.study_id for session in locked}:
        for hook in hooks.erasures:
            hook.rows(study, erasure.rater_id, now)
    if is_person:
        # Earlier requests for single sessions are done, too.
        Erasure.objects.filter(rater=erasure.rater_id, state=QUEUED).update(state=DONE, erased_at=now, ended_at=now)
    counts = {model._meta.model_name: len(rows) for model, rows in reached.to_delete.items() if rows}
    Erasure.objects.filter(pk=erasure.pk).update(erased_at=now, counts=counts)


def sessions_of(erasure: Erasure) -> models.QuerySet[Session]:
    if erasure.session_id is None:
        return Session.objects.filter(rater=erasure.rater_id)
    return Session.objects.filter(pk=erasure.session_id)


def blank_columns(model: Model, keys: Collection[Any], blank: Blank) -> None:
    """Write the blank values into rows that are kept."""
    functions = {name: value for name, value in blank.items() if callable(value)}
    plain = {name: value for name, value in blank.items() if name not in functions}
    for some in parts(keys):
        rows = model._base_manager.filter(pk__in=some)
        if functions:
            # Functions first: they need values that the plain update removes.
            changed = list(rows)
            for row in changed:
                for name, make in functions.items():
                    setattr(row, name, make(row))
            model._base_manager.bulk_update(changed, list(functions), batch_size=CHUNK)
        if plain:
            rows.update(**plain)


def erase_again(say: Callable[[str], object]) -> None:
    """Repeat erasures after a restore, because backups still contain the erased people."""
    say(f"{replay(clock=clock.now)} erasures were requested again, of people whom the backup still contained")
    if not identities.are_readable():
        say("The platforms' ids of people were encrypted with another key: name it in EARSHOT_IDENTITY_KEYS, too.")

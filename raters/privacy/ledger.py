"""Ledger of erasures outside the database, replayed after a restore: row numbers and times, no names.

A rater is identified by number and creation time in microseconds, which no other database shares. Each entry is a
stored object of its own, so the newest backup has all entries up to its date.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime

from core.files import storage
from core.hooks import StoredFile
from core.operations import backups
from raters.people.models import Erasure, Rater, Session


@dataclass(frozen=True, slots=True)
class ErasureEntry:
    """An erasure in the ledger."""

    kind: str
    rater: int
    rater_made: str
    session: int | None
    session_made: str
    asked_at: str
    due_at: str


def add(*, kind: Erasure.Kind, rater: Rater, session: Session | None, asked_at: datetime, due_at: datetime) -> str:
    """Add an erasure to the ledger; return the name of its entry."""
    entry = ErasureEntry(
        kind=kind.value,
        rater=rater.pk,
        rater_made=rater.created_at.isoformat(),
        session=None if session is None else session.pk,
        session_made="" if session is None else session.arrived_at.isoformat(),
        asked_at=asked_at.isoformat(),
        due_at=due_at.isoformat(),
    )
    return storage.put(backups.ERASURES, json.dumps(asdict(entry)).encode())


def entries() -> Iterator[tuple[str, ErasureEntry]]:
    """Yield (name, entry) for the whole ledger."""
    for name in backups.stored(f"{backups.ERASURES}/"):
        with storage.open_file(name) as file:
            yield name, ErasureEntry(**json.load(file))


def people_of(entry: ErasureEntry) -> tuple[Rater, Session | None] | None:
    """Return the rater and session of an entry; None if this database doesn't have them."""
    rater = Rater.objects.filter(pk=entry.rater, created_at=datetime.fromisoformat(entry.rater_made)).first()
    if rater is None or entry.session is None:
        return None if rater is None else (rater, None)
    arrived_at = datetime.fromisoformat(entry.session_made)
    session = Session.objects.filter(pk=entry.session, rater=rater, arrived_at=arrived_at).first()
    return None if session is None else (rater, session)


def stored_files(study: int | None) -> Iterator[StoredFile]:
    """Yield the ledger's files, which belong to no study and are never deleted."""
    for name in backups.stored(f"{backups.ERASURES}/") if study is None else ():
        yield StoredFile(name, "the list of erasures")

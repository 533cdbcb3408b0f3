"""Move stored files from one store to another while they are read, and forget the source only when the copy is proved.

Readers look into every store, so that a file is found before, during and after. What is interrupted is taken up where
it stopped: a copy that is there already is compared instead of made again.
"""

from __future__ import annotations

import hashlib
import secrets
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import IO

from django.contrib.sessions.models import Session
from django.core.files.base import ContentFile
from django.core.files.storage import Storage
from django.db import IntegrityError, transaction

from core import stores
from core.errors import Conflict, Invalid
from core.hooks import Kept

CHUNK = 1 << 20
# Two moves in opposite directions could each take the other's copy for the one to keep.
ROW, HELD = "earshot-moving", timedelta(minutes=10)
EVERY = 100


@dataclass
class Report:
    """What came of a move."""

    copied: int = 0
    bytes: int = 0
    there: int = 0
    forgotten: int = 0
    # A sentence each: files that no store has, and files that are not what they should be.
    troubles: list[str] = field(default_factory=list)


def move(
    *,
    files: Iterable[Kept],
    to: str,
    keep: bool,
    clock: Callable[[], datetime],
    say: Callable[[Report], object] = lambda report: None,
) -> Report:
    """Copy these files to a store and check each by its hash, then delete them elsewhere unless they are to be kept.

    `say` is called every hundred files. Raises `Invalid` when there is no such store, or it can't be written, and
    `Conflict` while another move is under way.
    """
    found = stores.members()
    if to not in found or len(found) == 1:
        raise Invalid(f"There is no store {to!r} among {', '.join(found)}. docs/settings.md tells how to name another.")
    target = found[to]
    sources = [store for name, store in found.items() if name != to]
    try_writing(target, to)
    report, proved = Report(), []
    with alone(clock) as renew:
        for number, file in enumerate(unique(files), 1):
            proved += [(source, file.name) for source in copy(file, sources, target, report)]
            if number % EVERY == 0:
                renew()
                say(report)
        # Only now: until here, nothing was taken away.
        for source, name in () if keep else proved:
            source.delete(name)
            report.forgotten += 1
            if report.forgotten % EVERY == 0:
                renew()
                say(report)
    return report


def unique(files: Iterable[Kept]) -> Iterator[Kept]:
    """Yield each file once, though several rows may name it."""
    seen: set[str] = set()
    for file in files:
        if file.name not in seen:
            seen.add(file.name)
            yield file


def copy(file: Kept, sources: list[Storage], target: Storage, report: Report) -> list[Storage]:
    """Bring one file to the target; return the stores that need it no more."""
    holders = [source for source in sources if source.exists(file.name)]
    is_there = target.exists(file.name)
    if not holders:
        report.there += is_there
        if not is_there:
            report.troubles.append(f"{file.of} ({file.name}) is in no store.")
        return []
    try:
        with tempfile.TemporaryFile() as whole:
            wanted = digest(holders[0].open(file.name, "rb"), whole)
            if file.sha256 and wanted != file.sha256:
                report.troubles.append(f"{file.of} ({file.name}) has not the SHA-256 that it should have; it stays.")
                return []
            if not is_there:
                size = whole.tell()
                whole.seek(0)
                stores.place(target, file.name, whole)
                report.copied += 1
                report.bytes += size
    except FileNotFoundError:
        # Deleted since it was looked for, as old exports are.
        return []
    if digest(target.open(file.name, "rb")) != wanted:
        report.troubles.append(f"{file.of} ({file.name}) differs in the two stores; both copies stay.")
        return []
    report.there += is_there
    return holders


def digest(source: IO[bytes], target: IO[bytes] | None = None) -> str:
    """Read a file to its end, into `target` if there is one, and return its SHA-256."""
    found = hashlib.sha256()
    with source:
        while block := source.read(CHUNK):
            found.update(block)
            if target is not None:
                target.write(block)
    return found.hexdigest()


def try_writing(store: Storage, name: str) -> None:
    """Put something into a store and read it back; raises `Invalid` with what went wrong."""
    mark = secrets.token_bytes(8)
    file = f"health/{secrets.token_hex(16)}"
    try:
        stores.place(store, file, ContentFile(mark))
        with store.open(file, "rb") as back:
            is_sound = back.read() == mark
        store.delete(file)
    # Each kind of store fails in its own words.
    except Exception as error:
        raise Invalid(f"The store {name!r} can't be written: {error}") from error
    if not is_sound:
        raise Invalid(f"The store {name!r} gives back something else than it was given.")


@contextmanager
def alone(clock: Callable[[], datetime]) -> Iterator[Callable[[], None]]:
    """Keep every other move waiting, on whatever machine; yields what must be called now and then."""
    now = clock()
    Session.objects.filter(pk=ROW, expire_date__lt=now).delete()
    try:
        with transaction.atomic():
            Session.objects.create(pk=ROW, session_data="", expire_date=now + HELD)
    except IntegrityError as error:
        held = Session.objects.filter(pk=ROW).values_list("expire_date", flat=True).first() or now
        raise Conflict(
            f"Another move is under way, or was stopped a moment ago. Try again after {held:%H:%M} UTC.", code="moving"
        ) from error

    def renew() -> None:
        Session.objects.filter(pk=ROW).update(expire_date=clock() + HELD)

    try:
        yield renew
    finally:
        Session.objects.filter(pk=ROW).delete()

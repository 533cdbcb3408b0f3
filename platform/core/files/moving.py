"""Move stored files from one store to another while they are in use; delete the source once the copy was verified.

Readers look in every store, so that they find a file before, during and after the move. An interrupted move resumes
where it stopped: an existing copy is compared, not made again.
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

from core.errors import Conflict, Invalid
from core.files import stores
from core.hooks import StoredFile

CHUNK = 1 << 20
# Two moves in opposite directions could each delete the copy that the other keeps.
ROW, HELD = "earshot-moving", timedelta(minutes=10)
EVERY = 100


@dataclass
class Report:
    """The result of a move."""

    copied: int = 0
    bytes: int = 0
    there: int = 0
    forgotten: int = 0
    # One sentence for each file that is missing or whose content is wrong.
    troubles: list[str] = field(default_factory=list)


def move(
    *,
    files: Iterable[StoredFile],
    to: str,
    keep: bool,
    clock: Callable[[], datetime],
    say: Callable[[Report], object] = lambda report: None,
) -> Report:
    """Copy these files to a store and check each by its hash, then delete them elsewhere unless they are to be kept.

    `say` is called every hundred files. Raises `Invalid` when there is no such store, or it can't be written, and
    `Conflict` while another move is under way.
    """
    members = stores.members()
    if to not in members or len(members) == 1:
        raise Invalid(
            f"There is no store {to!r} among {', '.join(members)}. docs/settings.md explains how to configure another."
        )
    target = members[to]
    sources = [store for name, store in members.items() if name != to]
    try_writing(target, to, sources)
    report, proved = Report(), []
    with alone(clock) as renew:
        for number, file in enumerate(unique(files), 1):
            renew()
            proved += [(source, file.name) for source in copy(file, sources, target, report)]
            if number % EVERY == 0:
                say(report)
        # Only now, after all were verified.
        for source, name in () if keep else proved:
            renew()
            source.delete(name)
            report.forgotten += 1
            if report.forgotten % EVERY == 0:
                say(report)
    return report


def unique(files: Iterable[StoredFile]) -> Iterator[StoredFile]:
    """Yield each file once, though several rows may name it."""
    seen: set[str] = set()
    for file in files:
        if file.name not in seen:
            seen.add(file.name)
            yield file


def copy(file: StoredFile, sources: list[Storage], target: Storage, report: Report) -> list[Storage]:
    """Copy one file to the target; return the stores that no longer need it."""
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
                report.troubles.append(f"{file.of} ({file.name}) does not have the expected SHA-256; it stays.")
                return []
            size = whole.tell()
            if not is_there:
                whole.seek(0)
                stores.place(target, file.name, whole)
                # A file that was deleted meanwhile must not come back; one that is half written is copied another time.
                left = holders[0].size(file.name) if holders[0].exists(file.name) else None
                if left != size:
                    target.delete(file.name)
                    if left is not None:
                        report.troubles.append(f"{file.of} ({file.name}) is still being written; it stays.")
                    return []
                report.copied += 1
                report.bytes += size
        copied_digest = digest(target.open(file.name, "rb"))
    except FileNotFoundError:
        # Deleted in the meantime, as old exports are.
        return []
    if copied_digest != wanted:
        report.troubles.append(f"{file.of} ({file.name}) differs in the two stores; both copies stay.")
        return []
    report.there += is_there
    return holders


def digest(source: IO[bytes], target: IO[bytes] | None = None) -> str:
    """Read a file to its end, into `target` if there is one, and return its SHA-256."""
    sha256 = hashlib.sha256()
    with source:
        while block := source.read(CHUNK):
            sha256.update(block)
            if target is not None:
                target.write(block)
    return sha256.hexdigest()


def try_writing(store: Storage, name: str, others: Iterable[Storage]) -> None:
    """Write a file to a store and read it back from there; raise `Invalid` with what went wrong."""
    mark = secrets.token_bytes(8)
    file = f"health/{secrets.token_hex(16)}"
    try:
        stores.place(store, file, ContentFile(mark))
        with store.open(file, "rb") as back:
            is_sound = back.read() == mark
        try:
            is_elsewhere = any(other.exists(file) for other in others)
        finally:
            store.delete(file)
    # Every kind of store raises its own errors.
    except Exception as error:
        raise Invalid(f"The store {name!r} can't be written: {error}") from error
    if not is_sound:
        raise Invalid(f"The store {name!r} returned other bytes than were written.")
    # Two names of one bucket: deleting a file under one name would delete it under the other.
    if is_elsewhere:
        raise Invalid(f"The store {name!r} is another one under a second name; nothing can move there.")


@contextmanager
def alone(clock: Callable[[], datetime]) -> Iterator[Callable[[], None]]:
    """Prevent another move, on any machine; yield a function to call before each file."""
    now, ours = clock(), secrets.token_hex(16)
    Session.objects.filter(pk=ROW, expire_date__lt=now).delete()
    try:
        with transaction.atomic():
            Session.objects.create(pk=ROW, session_data=ours, expire_date=now + HELD)
    except IntegrityError as error:
        held = Session.objects.filter(pk=ROW).values_list("expire_date", flat=True).first() or now
        raise Conflict(
            f"Another move is under way, or was stopped a moment ago. Try again after {held:%H:%M} UTC.", code="moving"
        ) from error

    def renew() -> None:
        if not Session.objects.filter(pk=ROW, session_data=ours).update(expire_date=clock() + HELD):
            raise Conflict("Another move has started, so this one stops. Try again after it.", code="moving")

    try:
        yield renew
    finally:
        Session.objects.filter(pk=ROW, session_data=ours).delete()

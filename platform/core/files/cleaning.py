"""Compare the stores with the rows: files that no row names, and files that a row names and no store has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.files.storage import Storage

from core import hooks
from core.files import stores
from core.hooks import StoredFile


@dataclass(frozen=True, slots=True)
class Orphan:
    """A file that no row names, too old for a row that is still to come."""

    store: str
    name: str
    bytes: int
    at: datetime
    # True if an app registered this kind of file, so that no row can need it.
    may_go: bool
    discard: Callable[[], object]


@dataclass(frozen=True, slots=True)
class StoreComparison:
    """The result of comparing stores and rows."""

    orphans: list[Orphan]
    missing: list[StoredFile]
    files: int


def compare(*, before: datetime) -> StoreComparison:
    """Read all stores, then all rows; files that came after `before` are left out: their rows may be on the way.

    Keeps every name in memory, some 200 bytes each.
    """
    # In this order: what is stored after the listing is missed by it, and what is named after it is found in the rows.
    listed = {name: list(stores.everything(store)) for name, store in stores.members().items()}
    unfinished = [orphan for name, store in stores.members().items() for orphan in _unfinished(name, store, before)]
    files_of_rows: dict[str, StoredFile] = {}
    for file in hooks.named_files():
        files_of_rows.setdefault(file.name, file)
    orphans = [
        Orphan(name, file.name, file.bytes, file.at, _may_go(file.name), _deletion(name, file.name))
        for name, files in listed.items()
        for file in files
        if file.name not in files_of_rows and file.at < before
    ]
    there = {file.name for files in listed.values() for file in files}
    # Rows may change during the comparison: look once more for files that seem to be missing.
    missing = [file for name, file in files_of_rows.items() if name not in there and not _is_anywhere(name)]
    return StoreComparison([*orphans, *unfinished], missing, len(there))


def _may_go(name: str) -> bool:
    return name.partition("/")[0] in hooks.stored_kinds


def _is_anywhere(name: str) -> bool:
    return any(store.exists(name) for store in stores.members().values())


def _deletion(store: str, name: str) -> Callable[[], object]:
    return lambda: stores.members()[store].delete(name)


def _unfinished(name: str, store: Storage, before: datetime) -> Iterator[Orphan]:
    """Yield multipart uploads that a bucket still waits for and that were abandoned."""
    waiting: Any = getattr(store, "unfinished", None)
    for upload in waiting() if waiting else ():
        if upload.at < before:
            words, may_go = f"{upload.name} (parts of an upload)", _may_go(upload.name)
            yield Orphan(name, words, upload.bytes, upload.at, may_go, upload.discard)

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
    """A file that no row names, old enough that nobody is about to name it."""

    store: str
    name: str
    bytes: int
    at: datetime
    # Whether it is known that nobody needs it: a file of a kind that no app answers for is left alone.
    may_go: bool
    discard: Callable[[], object]


@dataclass(frozen=True, slots=True)
class StoreComparison:
    """What stores and rows say of one another."""

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
    named: dict[str, StoredFile] = {}
    for file in hooks.named_files():
        named.setdefault(file.name, file)
    orphans = [
        Orphan(name, file.name, file.bytes, file.at, _may_go(file.name), _deletion(name, file.name))
        for name, files in listed.items()
        for file in files
        if file.name not in named and file.at < before
    ]
    there = {file.name for files in listed.values() for file in files}
    # Rows change while one reads: what seems to be missing is looked for once more.
    missing = [file for name, file in named.items() if name not in there and not _is_anywhere(name)]
    return StoreComparison([*orphans, *unfinished], missing, len(there))


def _may_go(name: str) -> bool:
    return name.partition("/")[0] in hooks.stored_kinds


def _is_anywhere(name: str) -> bool:
    return any(store.exists(name) for store in stores.members().values())


def _deletion(store: str, name: str) -> Callable[[], object]:
    return lambda: stores.members()[store].delete(name)


def _unfinished(name: str, store: Storage, before: datetime) -> Iterator[Orphan]:
    """Yield uploads in parts that a bucket still waits for and nobody goes on with."""
    waiting: Any = getattr(store, "unfinished", None)
    for upload in waiting() if waiting else ():
        if upload.at < before:
            words, may_go = f"{upload.name} (parts of an upload)", _may_go(upload.name)
            yield Orphan(name, words, upload.bytes, upload.at, may_go, upload.discard)

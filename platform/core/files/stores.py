"""Several stores as one: new files go to the first, and every store is searched for a file.

Names are random and never reused, so that a name means the same bytes in every store.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime
from typing import IO, Any, NamedTuple

from django.core.files.base import File
from django.core.files.storage import FileSystemStorage, Storage, storages
from django.utils.deconstruct import deconstructible

# Files that other programs put here for imports; no row names them.
INCOMING = "incoming/"


@deconstructible
class Stores(Storage):
    """Several storages of the settings, by name, the one for new files first."""

    def __init__(self, names: list[str]) -> None:
        self.names = names

    @property
    def members(self) -> dict[str, Storage]:
        return {name: storages[name] for name in self.names}

    def _open(self, name: str, mode: str = "rb") -> File[Any]:
        failed: Exception | None = None
        for store in self.members.values():
            try:
                return store.open(name, mode)
            except FileNotFoundError:
                continue
            except OSError as error:
                failed = failed or error
        if failed:
            raise failed
        # The file may have been moved there between the two looks.
        return storages[self.names[0]].open(name, mode)

    def _save(self, name: str, content: File[Any]) -> str:
        return storages[self.names[0]].save(name, content)

    def delete(self, name: str) -> None:
        *others, last = self.members.values()
        # Every store but the last is asked twice, since a move may have brought the file there in between. `exists`
        # comes first because some stores may be read-only.
        for store in (*others, last, *others):
            if store.exists(name):
                store.delete(name)

    def exists(self, name: str) -> bool:
        return any(store.exists(name) for store in self.members.values())

    def size(self, name: str) -> int:
        return self._holder(name).size(name)

    def get_modified_time(self, name: str) -> datetime:
        return self._holder(name).get_modified_time(name)

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        folders: set[str] = set()
        files: set[str] = set()
        for store in self.members.values():
            try:
                listed = store.listdir(path)
            except FileNotFoundError:
                continue
            folders.update(listed[0])
            files.update(listed[1])
        return sorted(folders), sorted(files)

    def _holder(self, name: str) -> Storage:
        for store in self.members.values():
            if store.exists(name):
                return store
        raise FileNotFoundError(name)


class FileEntry(NamedTuple):
    """A file of a store."""

    name: str
    bytes: int
    at: datetime


def members() -> dict[str, Storage]:
    """Return every store that files are read from, by name, the one for new files first."""
    store: Any = storages["default"]
    return store.members if isinstance(store, Stores) else {"default": store}


def everything(store: Storage) -> Iterator[FileEntry]:
    """Yield each file of a store, except those of the health check and those that wait for an import."""
    listed: Any = getattr(store, "everything", None)
    return (
        file for file in (listed() if listed else _below(store, "")) if not file.name.startswith(("health/", INCOMING))
    )


def _below(store: Storage, folder: str) -> Iterator[FileEntry]:
    try:
        folders, files = store.listdir(folder)
    except FileNotFoundError:
        return
    for name in sorted(files):
        path = f"{folder}{name}"
        try:
            yield FileEntry(path, store.size(path), store.get_modified_time(path))
        except FileNotFoundError:
            # Deleted since it was listed.
            continue
    for name in sorted(folders):
        yield from _below(store, f"{folder}{name}/")


def place(store: Storage, name: str, content: IO[bytes]) -> None:
    """Store a file under the name that it has in another store, completely or not at all."""
    if isinstance(store, FileSystemStorage):
        unfinished = store.save(f"{name}.unfinished", File(content))
        os.replace(store.path(unfinished), store.path(name))
        return
    # A bucket shows an object once it is complete. Not `save`, which might choose another name.
    bucket: Any = store
    bucket._save(name, File(content))

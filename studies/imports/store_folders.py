"""Clips that other programs put into the store: folders below `incoming/`, which an import reads and leaves there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

from django.core.files.storage import default_storage
from django.utils.translation import gettext as _

from core.errors import Invalid
from core.files import storage, stores
from studies.imports.ingest.adapting import table_of
from studies.imports.ingest.archive import ArchiveLimits, NoTable, pour
from studies.imports.ingest.problems import ImportProblem, InvalidInput
from studies.imports.ingest.table import MAX_BYTES, MAX_ROWS


def folders() -> list[str]:
    """Return the names of the folders, in order; empty where the store doesn't answer."""
    try:
        return sorted(default_storage.listdir(stores.INCOMING)[0])
    except OSError:
        return []


class StoreFolder:
    """A source of clips in the store; raises `InvalidInput` where there is no such folder."""

    def __init__(self, name: str, limits: ArchiveLimits | None = None) -> None:
        if name not in folders():
            raise InvalidInput(f"There is no folder {name} below {stores.INCOMING} in the store.")
        self.name = name
        self.prefix = f"{stores.INCOMING}{name}/"
        self.limits = limits or ArchiveLimits()

    @cached_property
    def names(self) -> list[str]:
        """The paths of all files in the folder, in order."""
        names = []
        for name in self._below(""):
            names.append(name)
            if len(names) > MAX_ROWS:
                text = _("This folder has more than {limit} files. Split it into several folders.")
                raise Invalid(text.format(limit=MAX_ROWS))
        return names

    @cached_property
    def tables(self) -> list[str]:
        return table_of(self.names, self.read)

    def table(self) -> str:
        """Return the path of the one table that describes the clips; empty where there is none."""
        return self.tables[0] if len(self.tables) == 1 else ""

    def read(self, name: str) -> bytes:
        """Return the content of a table; raises `InvalidInput` where it is too large."""
        with storage.open_file(self.prefix + name) as file:
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise InvalidInput(f"{name} is larger than {MAX_BYTES >> 20} MiB.")
        return content

    def manifest(self) -> bytes:
        if len(self.tables) > 1:
            names = ", ".join(self.tables[:5])
            raise InvalidInput(f"Several tables in this folder name as many files: {names}. Send one with the form.")
        if not self.tables:
            raise NoTable("There is no manifest.csv in this folder. Add one, or send a manifest with the form.")
        return self.read(self.table())

    def match(self, names: Iterable[str]) -> list[ImportProblem]:
        extra = sorted(set(self.names) - set(names) - {self.table()})
        reason = "The manifest doesn't name this file; it was left out."
        return [ImportProblem(0, name, "", reason, warning=True, table="") for name in extra]

    def missing(self, name: str) -> str:
        return "" if name in self._known else "There is no such file in this folder of the store."

    def copy(self, name: str, target: Path) -> None:
        try:
            with storage.open_file(self.prefix + name) as file, target.open("xb") as out:
                pour(file, out, self.limits.file_bytes)
        except FileNotFoundError:
            raise InvalidInput("This file was deleted from the store. Put it back, or leave it out.") from None

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.names)

    def _below(self, folder: str) -> Iterator[str]:
        subfolders, files = default_storage.listdir(self.prefix + folder)
        yield from (folder + name for name in sorted(files) if name)
        for name in sorted(subfolders):
            yield from self._below(f"{folder}{name}/")

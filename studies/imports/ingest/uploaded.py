"""Files that were sent together: their bytes follow one another in one file; ZIPs among them are unpacked."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath
from typing import IO

from studies.imports.ingest.adapting import table_of
from studies.imports.ingest.archive import CHUNK, ArchiveLimits, FileSource, NoTable, ZipArchive
from studies.imports.ingest.names import clean, folded, is_litter
from studies.imports.ingest.problems import ImportProblem, InvalidInput
from studies.imports.ingest.table import MAX_BYTES

Place = tuple[str, int, int]


@contextmanager
def source(whole: IO[bytes], places: Sequence[Place], limits: ArchiveLimits | None = None) -> Iterator[FileSource]:
    """Open the files of `whole` by (path, first byte, bytes); raises `InvalidInput` if a name or a ZIP is unsafe.

    One ZIP alone is an archive. The files of several are named after their ZIP: `alpha.zip` holds `alpha/1.wav`.
    """
    with ExitStack() as opened:
        if [is_zip(path) for path, _start, _size in places] == [True]:
            yield ZipArchive(whole, limits)
        else:
            yield UploadedFiles(whole, places, opened, limits)


def is_zip(path: str) -> bool:
    return path.lower().endswith(".zip")


class UploadedFiles:
    """Several files that were sent together."""

    def __init__(
        self, whole: IO[bytes], places: Sequence[Place], opened: ExitStack, limits: ArchiveLimits | None = None
    ) -> None:
        self.whole, self.limits = whole, limits or ArchiveLimits()
        self.files: dict[str, tuple[int, int]] = {}
        # {path: (archive, path in it)}
        self.packed: dict[str, tuple[ZipArchive, str]] = {}
        for path, start, size in places:
            if is_litter(path):
                continue
            if is_zip(path):
                archive = ZipArchive(opened.enter_context(self._section(start, size)), self.limits)
                folder = PurePosixPath(clean(path)).with_suffix("").as_posix()
                self.packed |= {f"{folder}/{name}": (archive, name) for name in archive.names}
            else:
                self.files[clean(path)] = (start, size)
        self.names = sorted(self.files.keys() | self.packed.keys())
        if len(self.names) > self.limits.files:
            raise InvalidInput(f"These are more than {self.limits.files:,} files. Split them into several imports.")

    def manifest(self) -> bytes:
        found = table_of(self.names, self._table)
        if len(found) != 1:
            raise NoTable(f"There are {len(found)} tables among the files. Send one with the form.")
        return self._table(found[0])

    def match(self, names: Iterable[str]) -> list[ImportProblem]:
        """Warn about files that the manifest doesn't name."""
        extra = sorted(set(self.names) - set(names))
        reason = "The manifest doesn't name this file; it was left out."
        return [ImportProblem(0, name, "", reason, warning=True, table="") for name in extra]

    def missing(self, name: str) -> str:
        if name in self.files or name in self.packed:
            return ""
        alike = [other for other in self.names if folded(other) == folded(name)]
        hint = f" There is {alike[0]}: upper and lower case must match." if alike else ""
        return "This file was not sent." + hint

    def copy(self, name: str, target: Path) -> None:
        if name in self.packed:
            archive, inside = self.packed[name]
            archive.copy(inside, target)
            return
        start, size = self.files[name]
        if size > self.limits.file_bytes:
            raise InvalidInput("The file is larger than allowed, or than the archive declares.")
        with target.open("xb") as out:
            self._pour(start, size, out)

    def _table(self, name: str) -> bytes:
        if name in self.packed:
            archive, inside = self.packed[name]
            return archive.table(inside)
        start, size = self.files[name]
        if size > MAX_BYTES:
            raise InvalidInput(f"{name} is larger than {MAX_BYTES >> 20} MiB.")
        self.whole.seek(start)
        return self.whole.read(size)

    @contextmanager
    def _section(self, start: int, size: int) -> Iterator[IO[bytes]]:
        """Copy a part of the whole into a file of its own."""
        with tempfile.TemporaryFile(prefix="earshot-upload-") as file:
            self._pour(start, size, file)
            yield file

    def _pour(self, start: int, size: int, out: IO[bytes]) -> None:
        self.whole.seek(start)
        while size and (chunk := self.whole.read(min(size, CHUNK))):
            out.write(chunk)
            size -= len(chunk)

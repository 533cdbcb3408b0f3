"""Sources of clips: a folder, or a ZIP archive, of which nothing is trusted, not even its list of files."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Protocol

from studies.imports.ingest.adapting import table_of
from studies.imports.ingest.finding import is_audio
from studies.imports.ingest.names import clean, folded, is_litter
from studies.imports.ingest.problems import ImportProblem, InvalidInput
from studies.imports.ingest.table import MAX_BYTES, MAX_ROWS

END, LOCATOR, END64 = b"PK\x05\x06", b"PK\x06\x07", b"PK\x06\x06"
LONGEST_COMMENT = 0xFFFF


def directory_size(file: IO[bytes]) -> int:
    """Return the bytes of the central directory; 0 when there is none, which the ZIP reader then refuses.

    APPNOTE 6.3.10, sections 4.3.14 to 4.3.16.
    """
    length = file.seek(0, io.SEEK_END)
    file.seek(max(0, length - LONGEST_COMMENT - 22 - 20))
    tail = file.read()
    end = tail.rfind(END)
    if end < 0 or end + 22 > len(tail):
        return 0
    size = int(struct.unpack_from("<L", tail, end + 12)[0])
    if end >= 20 and tail[end - 20 : end - 16] == LOCATOR:
        file.seek(min(length, int(struct.unpack_from("<Q", tail, end - 20 + 8)[0])))
        record = file.read(56)
        if record.startswith(END64) and len(record) == 56:
            return int(struct.unpack_from("<Q", record, 40)[0])
    return size


MIB = 1024 * 1024
CHUNK = 256 * 1024
ARCHIVES = (".zip", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".zst", ".7z", ".rar", ".jar")
# What a manifest next to the clips is called, where there are several tables.
MANIFEST = "manifest.csv"
# Bytes of a central directory for each file, on average: all that a longer one lists would be kept in memory.
NAME_BYTES = 512


@dataclass(frozen=True)
class ArchiveLimits:
    """Limits of an archive; `ratio` is unpacked bytes for each packed one, for files above 1 MiB."""

    files: int = MAX_ROWS
    file_bytes: int = 512 * MIB
    total_bytes: int = 8192 * MIB
    ratio: int = 100


class FileSource(Protocol):
    """Files by their names in a manifest."""

    @property
    def names(self) -> Sequence[str]:
        """The paths of all files, tables among them."""

    def manifest(self) -> bytes:
        """Return the manifest that lies next to the clips; raises `InvalidInput` where there is none."""

    def match(self, names: Iterable[str]) -> list[ImportProblem]:
        """Compare with the manifest: warnings for files it doesn't name."""

    def missing(self, name: str) -> str:
        """Return why there is no such file, or an empty string."""

    def copy(self, name: str, target: Path) -> None:
        """Copy a file's bytes to `target`; raises `InvalidInput`."""


class NoTable(InvalidInput):
    """There is no table next to the clips."""


class Folder:
    """A folder on this machine."""

    def __init__(self, root: Path, limits: ArchiveLimits | None = None) -> None:
        self.root = root.resolve()
        self.limits = limits or ArchiveLimits()
        if not self.root.is_dir():
            raise InvalidInput(f"There is no folder {root}.")

    @cached_property
    def names(self) -> list[str]:
        names = []
        for path in self.root.rglob("*"):
            if path.is_file():
                names.append(path.relative_to(self.root).as_posix())
            if len(names) > self.limits.files:
                raise InvalidInput(f"{self.root} has more than {self.limits.files:,} files. Import a folder at a time.")
        return sorted(name for name in names if not is_litter(name))

    def manifest(self) -> bytes:
        if (self.root / MANIFEST).is_file():
            return (self.root / MANIFEST).read_bytes()
        tables = table_of(self.names, lambda name: (self.root / name).read_bytes())
        if not tables:
            raise NoTable(f"There is no {MANIFEST} in {self.root}.")
        if len(tables) > 1:
            raise InvalidInput(f"Several tables in {self.root} name as many files: {', '.join(tables[:5])}. Send one.")
        return (self.root / tables[0]).read_bytes()

    def match(self, names: Iterable[str]) -> list[ImportProblem]:
        return []

    def missing(self, name: str) -> str:
        path = (self.root / name).resolve()
        if not path.is_relative_to(self.root):
            return f"The file is outside {self.root} , through a link."
        return "" if path.is_file() else f"There is no such file below {self.root}."

    def copy(self, name: str, target: Path) -> None:
        with (self.root / name).open("rb") as file, target.open("xb") as out:
            pour(file, out, self.limits.file_bytes)


class ZipArchive:
    """A ZIP archive; raises `InvalidInput` when anything about it is unsafe, before a byte is unpacked."""

    def __init__(self, file: IO[bytes], limits: ArchiveLimits | None = None) -> None:
        self.limits = limits or ArchiveLimits()
        try:
            if directory_size(file) > self.limits.files * NAME_BYTES:
                raise InvalidInput(
                    f"The archive lists more than {self.limits.files:,} files. Split it into several imports."
                )
            self.zip = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, zipfile.LargeZipFile, ValueError, EOFError, NotImplementedError, OSError):
            raise InvalidInput("The archive isn't a ZIP file, or it arrived incomplete. Make it again.") from None
        self.files = self._checked()
        self.own_manifest = ""
        self.prefix = ""
        self.unpacked = 0

    @property
    def names(self) -> list[str]:
        return list(self.files)

    def manifest(self) -> bytes:
        """Return the table at the top, or in the one folder there, that names the files."""
        tops = {name.partition("/")[0] for name in self.files}
        depth = 1 if len(tops) == 1 else 0
        found = table_of([name for name in self.files if is_audio(name) or name.count("/") <= depth], self.table)
        if len(found) != 1:
            problem = "contains several CSV files" if found else "contains no manifest"
            text = f"The archive {problem}: put the one with a row for each clip at its top, as {MANIFEST}."
            raise InvalidInput(text) if found else NoTable(text)
        self.own_manifest = found[0]
        return self.table(self.own_manifest)

    def table(self, name: str) -> bytes:
        """Return the content of a table; raises `InvalidInput` if it is too large or damaged."""
        info = self.files[name]
        if info.file_size > MAX_BYTES:
            raise InvalidInput(f"{name} is larger than {MAX_BYTES // MIB} MiB.")
        try:
            return self.zip.read(info)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError):
            raise InvalidInput(f"The archive is damaged at {name}. Make it again.") from None

    def match(self, names: Iterable[str]) -> list[ImportProblem]:
        """Find the folder that the manifest's names start from, and warn about files that it doesn't name."""
        names = set(names)
        tops = {name.partition("/")[0] + "/" for name in self.files if "/" in name}
        if len(tops) == 1 and not names & self.files.keys():
            top = tops.pop()
            if any(top + name in self.files for name in names):
                self.prefix = top
        extra = sorted(self.files.keys() - {self.prefix + name for name in names} - {self.own_manifest})
        reason = "The manifest doesn't name this file; it was left out."
        return [ImportProblem(0, name, "", reason, warning=True, table="") for name in extra]

    def missing(self, name: str) -> str:
        if self.prefix + name in self.files:
            return ""
        alike = [other for other in self.files if folded(other) == folded(self.prefix + name)]
        hint = f" There is {alike[0]}: upper and lower case must match." if alike else ""
        return "The archive does not contain this file." + hint

    def copy(self, name: str, target: Path) -> None:
        info = self.files[self.prefix + name]
        try:
            with self.zip.open(info) as member, target.open("xb") as out:
                left = self.limits.total_bytes - self.unpacked
                self.unpacked += pour(member, out, min(self.limits.file_bytes, info.file_size, left))
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError):
            raise InvalidInput("The archive is damaged at this file. Make it again.") from None

    def _checked(self) -> dict[str, zipfile.ZipInfo]:
        infos = [info for info in self.zip.infolist() if not is_litter(info.orig_filename)]
        if sum(not info.is_dir() for info in infos) > self.limits.files:
            raise InvalidInput(
                f"The archive contains more than {self.limits.files:,} files. Split it into several imports."
            )
        if sum(info.file_size for info in infos) > self.limits.total_bytes:
            raise InvalidInput(f"The archive unpacks to more than {self.limits.total_bytes // MIB:,} MiB.")
        files: dict[str, zipfile.ZipInfo] = {}
        seen: dict[str, str] = {}
        for info in infos:
            try:
                name = clean(info.orig_filename)
                self._refuse_unsafe(info)
                if not info.is_dir():
                    before = seen.setdefault(folded(name), name)
                    if name in files:
                        raise InvalidInput("Two files have this name.")
                    if before != name:
                        raise InvalidInput(f"The name differs from {before} in case alone.")
                    files[name] = info
            except InvalidInput as error:
                raise InvalidInput(f"The archive was refused: {info.orig_filename[:200]!r}: {error}") from None
        return files

    def _refuse_unsafe(self, info: zipfile.ZipInfo) -> None:
        kind = stat.S_IFMT(info.external_attr >> 16)
        if kind == stat.S_IFLNK:
            raise InvalidInput("It is a link. Put the file itself into the archive.")
        if kind not in {0, stat.S_IFREG, stat.S_IFDIR}:
            raise InvalidInput("It is neither a file nor a folder.")
        if info.flag_bits & 0x1:
            raise InvalidInput("It is encrypted. Make the archive without a password.")
        if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
            raise InvalidInput("It uses an unsupported compression. Make a standard ZIP archive.")
        if info.filename.lower().endswith(ARCHIVES):
            raise InvalidInput("It is an archive inside the archive. Unpack it first.")
        if info.file_size > self.limits.file_bytes:
            raise InvalidInput(f"It is larger than {self.limits.file_bytes // MIB:,} MiB.")
        if info.file_size > max(MIB, self.limits.ratio * info.compress_size):
            raise InvalidInput(f"It unpacks to more than {self.limits.ratio} times its size, which no recording does.")


def pour(source: IO[bytes], target: IO[bytes], most: int) -> int:
    """Copy in chunks and count; raises `InvalidInput` beyond `most` bytes, whatever a header declared."""
    count = 0
    while chunk := source.read(CHUNK):
        count += len(chunk)
        if count > most:
            raise InvalidInput("The file is larger than allowed, or than the archive declares.")
        target.write(chunk)
    return count

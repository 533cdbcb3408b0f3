"""Cache renditions on this machine's disk, so that a slow or missing store does not stop a session.

An entry is a file's bytes; a hash of its name and its bytes is next to it. One that was
truncated, damaged or renamed is never served. Several processes share a folder; the entries used longest ago go when it
is full.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import secrets
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import IO

logger = logging.getLogger(__name__)
CHUNK = 1 << 20
# Shares of the limit: bytes a process may write before it measures the whole folder, and bytes left after cleaning.
UNSEEN, LEFT = 1 / 32, 7 / 8
ENTRY, HASH, UNFINISHED = ".entry", ".hash", ".unfinished"
# Seconds: an unfinished entry this old was abandoned.
ABANDONED = 3600.0


class DiskCache:
    """A folder of at most `limit` bytes, as long as no more than four processes write to it at once."""

    def __init__(self, folder: Path, limit: int) -> None:
        self.folder = folder
        self.limit = limit
        # As if full, so that the first entry of a process measures the folder.
        self.unseen = limit
        self.lock = threading.Lock()

    def open(self, name: str, size: int) -> IO[bytes] | None:
        """Open a copy of `size` bytes, hash-checked. None when absent.

        Costs one read of the file, some 2 ms for 10 s of sound.
        """
        path = self._path(name)
        try:
            file = path.open("rb")
        except OSError:
            return None
        try:
            if self._is_sound(file, path, name, size):
                # Mark it as used. Another process may have deleted it meanwhile; the open file can still be read.
                with suppress(OSError):
                    os.utime(path)
                file.seek(0)
                return file
        except OSError as error:
            logger.warning("A cached file could not be read: %s", error)
        file.close()
        with suppress(OSError):
            path.unlink()
        return None

    def has(self, name: str) -> bool:
        """True if there is an entry, intact or not."""
        return self._path(name).exists()

    def keep(self, name: str, size: int, source: IO[bytes]) -> IO[bytes]:
        """Store a copy of a file from the store and return it opened; return the source if the disk takes none."""
        try:
            self._write(name, size, source)
        except OSError as error:
            logger.warning("Nothing could be stored in %s: %s", self.folder, error)
        copy = self.open(name, size)
        if copy is None:
            source.seek(0)
            return source
        source.close()
        return copy

    def _write(self, name: str, size: int, source: IO[bytes]) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        unfinished = self.folder / f"{secrets.token_hex(8)}{UNFINISHED}"
        unfinished_hash = unfinished.with_suffix(f"{HASH}{UNFINISHED}")
        digest, written = _digest(name), 0
        try:
            with _created(unfinished) as target:
                while block := source.read(CHUNK):
                    digest.update(block)
                    target.write(block)
                    written += len(block)
            if written == size and size <= self.limit * (1 - LEFT):
                with _created(unfinished_hash) as target:
                    target.write(digest.digest())
                path = self._path(name)
                unfinished_hash.replace(path.with_suffix(HASH))
                unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)
            unfinished_hash.unlink(missing_ok=True)
        with self.lock:
            self.unseen += written
            if self.unseen < self.limit * UNSEEN:
                return
            self.unseen = 0
        self.shrink()

    def shrink(self) -> None:
        """Delete the least recently used entries when the folder is too full; one process at a time does it."""
        with (self.folder / ".lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return
            entries = self._entries()
            total = sum(size for _used, size, _path in entries)
            if total <= self.limit * LEFT:
                return
            for _used, size, path in sorted(entries):
                path.unlink(missing_ok=True)
                path.with_suffix(HASH).unlink(missing_ok=True)
                total -= size
                if total <= self.limit * LEFT:
                    return

    def _entries(self) -> list[tuple[float, int, Path]]:
        """Return (last use, bytes, path) of each entry, without those that are being written."""
        entries = []
        for entry in os.scandir(self.folder):
            with suppress(FileNotFoundError):
                about = entry.stat()
                is_abandoned = entry.name.endswith(UNFINISHED) and about.st_mtime < time.time() - ABANDONED
                if entry.name.endswith(ENTRY) or is_abandoned:
                    entries.append((about.st_mtime, about.st_size, Path(entry.path)))
        return entries

    def _path(self, name: str) -> Path:
        return self.folder / f"{hashlib.sha256(name.encode()).hexdigest()[:40]}{ENTRY}"

    def _is_sound(self, file: IO[bytes], path: Path, name: str, size: int) -> bool:
        if os.fstat(file.fileno()).st_size != size:
            return False
        digest, left = _digest(name), size
        while left and (block := file.read(min(CHUNK, left))):
            digest.update(block)
            left -= len(block)
        return path.with_suffix(HASH).read_bytes() == digest.digest()


def _created(path: Path) -> IO[bytes]:
    return open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def _digest(name: str) -> hashlib._Hash:
    return hashlib.sha256(name.encode() + b"\0")

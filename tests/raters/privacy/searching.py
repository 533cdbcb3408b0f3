"""Look for words in all that a server has: every column of every table, and every file of the data folder."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import connection

from core.operations import backups


def holding(*words: str) -> set[str]:
    """Return the tables, stored files and (on SQLite) database files in which any of these words stands."""
    found = {where for where, text in texts() if any(word in text for word in words)}
    raw = [word.encode() for word in words]
    for path in files():
        content = content_of(path)
        found |= {path.name for word in raw if word in content}
    return found


def content_of(path: Path) -> bytes:
    """Read a file in another process: closing a file of SQLite ends all locks that the process has on it."""
    return subprocess.run(["cat", path], capture_output=True, check=True).stdout


def texts() -> Iterator[tuple[str, str]]:
    """Yield (table, row as text) of every row of every table, those that Django knows nothing of too."""
    for table in connection.introspection.table_names():
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            for row in cursor.fetchall():
                yield table, " ".join(map(str, row))


def files() -> Iterator[Path]:
    """Yield the database's own files and every stored file."""
    if connection.vendor == "sqlite":
        if not connection.in_atomic_block:
            with connection.cursor() as cursor:
                cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        yield from Path(settings.DATABASES["default"]["NAME"]).parent.glob("*.sqlite3*")
    for name in backups.stored():
        yield Path(default_storage.path(name))

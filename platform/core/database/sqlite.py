"""What only SQLite needs."""

from __future__ import annotations

from django.db import connection


def empty_log() -> bool:
    """Move SQLite's write-ahead log into the database and truncate it: deleted words are overwritten only there.

    False while others read an older state of the database; elsewhere, and within a transaction, there is nothing to do.
    """
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        return True
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        [is_busy, *_pages] = cursor.fetchone()
    return not is_busy

"""PostgreSQL without cursors of the server: a pooler may give the next transaction another session (ADR 34)."""

from __future__ import annotations

from typing import Any

from django.db.backends.postgresql import base


class DatabaseWrapper(base.DatabaseWrapper):
    """Let `iterator()` convert rows in chunks, of a result that the driver holds; long tables are read by pages."""

    def chunked_cursor(self) -> Any:
        return self.cursor()

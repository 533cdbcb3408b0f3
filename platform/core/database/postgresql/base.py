"""PostgreSQL without cursors of the server (ADR 34), and with plans that follow the tables (ADR 35)."""

from __future__ import annotations

from typing import Any

from django.db.backends.postgresql import base

# A connection plans anew when it was taken so often for the first time, and whenever that number has doubled.
OFTEN = 32


class DatabaseWrapper(base.DatabaseWrapper):
    """Let `iterator()` convert rows in chunks, of a result that the driver holds; long tables are read by pages."""

    def chunked_cursor(self) -> Any:
        return self.cursor()

    def connect(self) -> None:
        """Take a connection, and discard its plans before the tables can have outgrown these."""
        super().connect()
        taken = getattr(self.connection, "times_taken", 0) + 1
        self.connection.times_taken = taken
        if taken >= OFTEN and not taken & (taken - 1):
            self.connection.execute("DISCARD PLANS", prepare=False)

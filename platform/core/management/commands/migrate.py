"""`migrate` without long locks: on PostgreSQL, raters never wait for longer than a moment."""

from __future__ import annotations

import time
from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands.migrate import Command as Migrate
from django.db import OperationalError, connections

from core.database import tables
from core.database.local_settings import set_locally
from core.operations import readiness

# Queries on a table that come after a waiting migration wait as long as it does. It also has to give up before
# PostgreSQL looks for deadlocks (after 1 s, by default), or a rater's request could be the one that is ended.
LOCK_SECONDS, PAUSE, TRIES = 0.5, 2.0, 60
# lock_not_available, deadlock_detected
IN_USE = {"55P03", "40P01"}


# With these, `migrate` only shows something, or stops before the newest migration.
PARTIAL = ("app_label", "migration_name", "fake", "fake_initial", "plan", "check_unapplied", "prune")


def is_whole(options: dict[str, Any]) -> bool:
    """True if all migrations are to be applied."""
    return not any(options.get(name) for name in PARTIAL)


class Command(Migrate):
    help = f"{Migrate.help} On PostgreSQL it stops waiting for a table after {LOCK_SECONDS} s and tries again."

    def execute(self, *args: Any, **options: Any) -> str | None:
        # Before the system checks, some of which ask the database.
        if fault := readiness.database_fault():
            raise CommandError(fault.message)
        return super().execute(*args, **options)

    def handle(self, *args: Any, **options: Any) -> None:
        with set_locally("lock_timeout", f"{LOCK_SECONDS * 1000:.0f}ms", using=options["database"]):
            self.patiently(*args, **options)

    def patiently(self, *args: Any, **options: Any) -> None:
        """Migrate, and try again while a table is in use; migrations that were applied stay applied."""
        for attempt in range(1, TRIES + 1):
            try:
                if is_whole(options) and tables.is_empty(connections[options["database"]]):
                    tables.make(options["database"])
                super().handle(*args, **options)
                return
            except OperationalError as error:
                if getattr(error.__cause__, "sqlstate", "") not in IN_USE:
                    raise
                if attempt == TRIES:
                    text = f"A table was in use each time of {TRIES}; try again when fewer people rate: {error}"
                    raise CommandError(text) from error
                self.stderr.write("A table is in use; the migration waits and tries again.")
                time.sleep(PAUSE)

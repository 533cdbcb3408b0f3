"""Wait until this process can start: the database has this release's tables, and store and broker work."""

from __future__ import annotations

import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections

from core.operations import checks, health, keys, readiness, starting


class Command(BaseCommand):
    help = (
        "Wait until database, store and broker work; with --migrated, until the database has this release's tables. "
        "Ends at once with a sentence for each setting that must be corrected."
    )
    # System checks would need the database before it is available.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--seconds", type=int, default=120, help="fail after so many seconds (120)")
        parser.add_argument("--migrated", action="store_true", help="wait for the tables of this release too")

    def handle(self, *args: Any, **options: Any) -> None:
        if wrong := [sentence for _number, sentence in checks.sentences()]:
            raise CommandError("\n".join(wrong))
        end, printed = time.monotonic() + options["seconds"], ""
        while missing := self.missing(options["migrated"]):
            if missing != printed:
                self.stderr.write(f"Waiting for {missing}.")
                printed = missing
            if time.monotonic() > end:
                raise CommandError(f"Failed after {options['seconds']} s of waiting for {missing}.")
            time.sleep(1)

    def missing(self, migrated: bool) -> str:
        """Return a sentence for each part that is not available; raise if waiting can't help."""
        hopeless: list[str] = []
        failing: list[str] = []
        behind = False
        try:
            connection = connections["default"]
            fault = readiness.database_fault()
            if fault and fault.is_final:
                hopeless.append(fault.message)
            else:
                connection.ensure_connection()
                behind = bool(starting.missing_migrations())
                hopeless += [] if behind else keys.wrong()
        except Exception as error:
            connections.close_all()
            failing.append(f"database ({type(error).__name__})")
        # Parts that don't depend on the tables are checked as well, so that all problems are reported together.
        for name, check in health.checks().items() if migrated else ():
            if name not in ("database", "worker") and (trouble := self.trouble(check)):
                message = readiness.hopeless(name, trouble)
                (hopeless if message else failing).append(message or f"{name} ({type(trouble).__name__})")
        # The bucket is created just before the tables: until these exist, it may still come.
        if hopeless and not behind:
            raise CommandError("\n".join(hopeless))
        if behind:
            return "the tables of this release (the setup process makes them)" if migrated else ""
        return f"the {' and the '.join(failing)}" if failing else ""

    def trouble(self, check: Any) -> Exception | None:
        """Return what a part fails with, if it does."""
        try:
            check()
        except Exception as error:
            return error
        return None

"""Wait until this process can begin: its database is there with this release's tables, and store and broker work."""

from __future__ import annotations

import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections
from django.db.migrations.executor import MigrationExecutor

from core import health


class Command(BaseCommand):
    help = "Wait until database, store and broker work; with --migrated, until the database has this release's tables."
    # The checks of the system would want the database before it is there.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--seconds", type=int, default=120, help="give up after so many seconds (120)")
        parser.add_argument("--migrated", action="store_true", help="wait for the tables of this release too")

    def handle(self, *args: Any, **options: Any) -> None:
        end, said = time.monotonic() + options["seconds"], ""
        while missing := self.missing(options["migrated"]):
            if missing != said:
                self.stderr.write(f"Waiting for {missing}.")
                said = missing
            if time.monotonic() > end:
                raise CommandError(f"Gave up after {options['seconds']} s of waiting for {missing}.")
            time.sleep(1)

    def missing(self, migrated: bool) -> str:
        """Return what is not there yet, in words; empty when all of it is."""
        try:
            connection = connections["default"]
            connection.ensure_connection()
            executor = MigrationExecutor(connection)
            behind = bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
        except Exception as error:
            connections.close_all()
            return f"the database ({type(error).__name__})"
        if behind:
            return "the tables of this release (the setup process makes them)" if migrated else ""
        checks = health.checks() if migrated else {}
        failing = [name for name, check in checks.items() if not health.works(name, check)]
        return f"the {' and the '.join(failing)}" if failing else ""

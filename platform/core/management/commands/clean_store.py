"""`clean_store [--delete]`: list files that no row names, and rows whose file is missing."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core import clock
from core.files import cleaning

SHOWN = 20


class Command(BaseCommand):
    help = (
        "List stored files that nothing in the database names, and delete them with --delete; exit with 1 when a file "
        "that something names is missing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--delete", action="store_true", help="delete what is listed; without it, nothing changes")
        parser.add_argument(
            "--hours", type=int, default=24, help="leave files alone that are younger than this (24), for running work"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["hours"] < 0:
            raise CommandError("--hours is 0 or more.")
        comparison = cleaning.compare(before=clock.now() - timedelta(hours=options["hours"]))
        known = [orphan for orphan in comparison.orphans if orphan.may_go]
        for orphan in known:
            if options["delete"]:
                orphan.discard()
        done = "Deleted" if options["delete"] else "To delete"
        self._list(
            done, [f"{orphan.store}: {orphan.name} ({orphan.bytes} bytes, {orphan.at:%Y-%m-%d})" for orphan in known]
        )
        self._list("Left alone, of a kind that is not ours", [
            f"{orphan.store}: {orphan.name}" for orphan in comparison.orphans if not orphan.may_go
        ])  # fmt: skip
        self._list("Missing", [f"{file.of} ({file.name})" for file in comparison.missing])
        size = sum(orphan.bytes for orphan in known) / 2**20
        self.stdout.write(f"{comparison.files} files are in use or new; {len(known)} of {size:.1f} MB can be deleted.")
        if comparison.missing:
            raise CommandError(f"{len(comparison.missing)} files are missing; get them back from a backup.")

    def _list(self, title: str, lines: list[str]) -> None:
        if lines:
            self.stdout.write(f"{title} ({len(lines)}):")
            self.stdout.write("\n".join(f"  {line}" for line in lines[:SHOWN]))
            if len(lines) > SHOWN:
                self.stdout.write(f"  and {len(lines) - SHOWN} more")

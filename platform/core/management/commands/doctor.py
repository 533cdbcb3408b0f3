"""`doctor [--json]`: check what a running server needs; `earshot doctor` also checks the machine."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.findings import problems
from core.operations import doctor


class Command(BaseCommand):
    help = "Check settings, database, keys, clock, files, broker, address and what else is set; exit 1 on a problem."
    # The doctor reports failed system checks as findings.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="one JSON object a line")
        parser.add_argument("--without", action="append", default=[], metavar="PART", help="leave a part out")

    def handle(self, *args: Any, **options: Any) -> None:
        findings = doctor.examine(options["without"])
        for finding in findings:
            self.stdout.write(finding.as_json() if options["json"] else finding.as_line())
        if failures := problems(findings):
            raise CommandError(f"{len(failures)} of {len(findings)} checks found a problem.")

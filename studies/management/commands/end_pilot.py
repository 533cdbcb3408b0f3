"""`end_pilot SLUG`: end the pilot of a study that is running."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.errors import DomainError
from studies.definition.queries import get
from studies.launch import pilots


class Command(BaseCommand):
    help = "End a study's pilot; the study is a draft again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the study's short name, not the pilot's")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            pilot = pilots.end(study=get(options["slug"]))
        except DomainError as error:
            raise CommandError(error.message) from None
        self.stdout.write(f"Pilot {pilot.pilot_number} of {options['slug']} has ended: {pilot.slug}")

"""`start_pilot SLUG --raters 5 [--open]`: open a copy of a draft to real people, apart from the study's data."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from core import clock, rng
from core.errors import DomainError
from studies import hooks
from studies.definition.queries import get
from studies.launch import pilots


class Command(BaseCommand):
    help = "Start a pilot of a draft: real people, a link of its own, and data that are never the study's."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument(
            "--raters", type=int, default=pilots.USUAL_RATERS, help="it ends when so many have finished (default: 5)"
        )
        parser.add_argument(
            "--open", action="store_true", help="a link without platform ids, for colleagues, whatever the crowd source"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            study = get(options["slug"])
            pilot = pilots.start(
                study=study, raters=options["raters"], is_open=options["open"], now=clock.now(), rng=rng.fresh()
            )
        except DomainError as error:
            raise CommandError(error.message) from None
        self.stdout.write(f"Pilot {pilot.pilot_number} of {study.slug} is live: {pilot.slug}")
        recruit = reverse(hooks.workspace().recruit, args=[pilot.slug])
        self.stdout.write(f"Its link: see {settings.BASE_URL}{recruit}")

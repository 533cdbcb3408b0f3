"""`archive_study SLUG [--undo]`: leave a draft or a closed study out of the lists, or put it back."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core import clock
from core.errors import DomainError
from studies.definition.queries import get
from studies.launch import archiving


class Command(BaseCommand):
    help = "Archive a draft or a closed study: lists leave it out, and nothing of it is lost."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the study's short name")
        parser.add_argument("--undo", action="store_true", help="put an archived study back into the lists")

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["slug"]
        try:
            study = get(slug)
            if options["undo"]:
                archiving.unarchive(study=study)
            else:
                archiving.archive(study=study, now=clock.now())
        except DomainError as error:
            raise CommandError(error.message) from None
        self.stdout.write(f"{slug} is in the lists again." if options["undo"] else f"Archived {slug}.")

"""`duplicate_study OLD NEW [--without-clips] [--title TITLE]`: create a draft like another study."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError, CommandParser

from core import clock
from core.errors import DomainError, Invalid
from studies.clips import figures
from studies.definition.queries import get
from studies.launch.duplicating import duplicate


class Command(BaseCommand):
    help = "Create a draft with the settings, texts, questions and clips of another study, without people and answers."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="OLD", help="short name of the study to copy")
        parser.add_argument("new", metavar="NEW", help="the last part of the new study's link to raters")
        parser.add_argument(
            "--title", default="", help="title shown to raters (default: that of the study, with a number)"
        )
        parser.add_argument("--owner", default="", help="user name of the researcher (default: the study's owner)")
        parser.add_argument("--without-clips", action="store_true", help="copy no clips and no questions about them")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            study = get(options["slug"])
            owner = study.owner
            if options["owner"]:
                owner = get_user_model().objects.filter(username=options["owner"]).first()
                if owner is None:
                    raise CommandError(f"There is no user {options['owner']}.")
            copy = duplicate(
                study=study,
                slug=options["new"],
                title=options["title"],
                owner=owner,
                with_clips=not options["without_clips"],
                now=clock.now(),
            )
        except Invalid as error:
            lines = [f"{field}: {problem}" for field, problem in error.problems.items()]
            raise CommandError("\n".join([error.message, *lines])) from None
        except DomainError as error:
            raise CommandError(error.message) from None
        self.stdout.write(f"Created the draft {copy.slug} from {study.slug}, with {figures.total(copy.pk)} clips.")

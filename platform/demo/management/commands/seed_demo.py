"""Make the demo: `manage.py seed_demo [--slug demo] [--owner NAME]`; running it again changes nothing."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError

from core import clock
from core.errors import DomainError, Invalid
from demo import finished, seeding


class Command(BaseCommand):
    help = (
        "Synthesise clips, make the demo study of them, launch it and let simulated raters rate it. A worker then "
        "makes a finished study for each of the papers."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--slug", default="demo", help="the live study's address (default: demo)")
        parser.add_argument("--owner", metavar="NAME", help="who owns it (default: the first superuser)")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            owner = self.owner(options["owner"])
            seeding.seed(slug=options["slug"], owner=owner, say=self.say)
            finished.request(owner=owner, now=clock.now())
        except DomainError as error:
            fields = error.problems.items() if isinstance(error, Invalid) else ()
            raise CommandError(" ".join([error.message, *(f"{field}: {text}" for field, text in fields)])) from error

    def owner(self, name: str | None) -> Any:
        """Return the named user, otherwise the first superuser, otherwise None."""
        users = get_user_model().objects.order_by("pk")
        if name is None:
            return users.filter(is_superuser=True).first()
        user = users.filter(username=name).first()
        if user is None:
            raise CommandError(f"There is no user {name!r}; make one with: manage.py createsuperuser")
        return user

    def say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()

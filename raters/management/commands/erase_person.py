"""Erase a person: `manage.py erase_person --source prolific ID` or `--rater NUMBER`."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core import clock
from core.errors import DomainError
from raters.privacy import erasing, requests
from raters.rating import rights


class Command(BaseCommand):
    help = "Delete all that is known of a person, in all studies, at once and for good."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--source", default="prolific", help="where they came from (default prolific)")
        parser.add_argument(
            "person", nargs="?", help="what they are called there; - reads it from the input, so that no shell keeps it"
        )
        parser.add_argument("--rater", type=int, metavar="NUMBER", help="or the number of the rater")
        parser.add_argument("--yes", action="store_true", help="don't ask")

    def handle(self, *args: Any, **options: Any) -> None:
        if (options["person"] is None) == (options["rater"] is None):
            raise CommandError("Name a person, or the number of a rater.")
        rater = options["rater"]
        if rater is None:
            person = sys.stdin.readline().strip() if options["person"] == "-" else options["person"]
            rater = rights.rater_with_id(source=options["source"], person=person)
        if rater is None or not rights.is_known(rater):
            raise CommandError("Nobody is known by this, or not any more.")
        if not options["yes"] and _asked(rater) != str(rater):
            raise CommandError("Nothing was changed. Write the number when you are asked, or give --yes.")
        try:
            erasure = requests.erase_person(rater_id=rater, now=clock.now(), by=None)
            is_done = erasing.carry_out(pk=erasure.pk, clock=clock.now)
        except DomainError as error:
            raise CommandError(error.message) from error
        if not is_done:
            raise CommandError("A worker is at it already.")
        erasure.refresh_from_db()
        rows = ", ".join(f"{number} {name}" for name, number in sorted(erasure.counts.items()))
        self.stdout.write(f"Rater {rater} is erased: {rows or 'nothing was left'}.")


def _asked(rater: int) -> str:
    try:
        return input(f"Erase rater {rater} for good? Write the number again: ")
    except EOFError:
        # The input ended after the ID.
        return ""

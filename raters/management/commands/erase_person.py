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
    help = "Delete everything about a person in all studies, permanently."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--source", default="prolific", help="crowd source of the person (default prolific)")
        parser.add_argument(
            "person",
            nargs="?",
            help="their ID there; - reads it from standard input, so that it is not in the shell history",
        )
        parser.add_argument("--rater", type=int, metavar="NUMBER", help="or the rater's number")
        parser.add_argument("--yes", action="store_true", help="don't ask for confirmation")

    def handle(self, *args: Any, **options: Any) -> None:
        if (options["person"] is None) == (options["rater"] is None):
            raise CommandError("Give either the ID of a person or --rater NUMBER.")
        rater = options["rater"]
        if rater is None:
            person = sys.stdin.readline().strip() if options["person"] == "-" else options["person"]
            rater = rights.rater_with_id(source=options["source"], person=person)
        if rater is None or not rights.is_known(rater):
            raise CommandError("Nobody has this ID or number, or their ID has been deleted.")
        if not options["yes"] and _asked(rater) != str(rater):
            raise CommandError("Nothing was changed. Enter the number to confirm, or use --yes.")
        try:
            erasure = requests.erase_person(rater_id=rater, now=clock.now(), by=None)
            is_done = erasing.carry_out(pk=erasure.pk, clock=clock.now)
        except DomainError as error:
            raise CommandError(error.message) from error
        if not is_done:
            raise CommandError("A worker is already erasing this person.")
        erasure.refresh_from_db()
        rows = ", ".join(f"{number} {name}" for name, number in sorted(erasure.counts.items()))
        self.stdout.write(f"Rater {rater} is erased: {rows or 'nothing was left'}.")


def _asked(rater: int) -> str:
    try:
        return input(f"Erase rater {rater} permanently? Enter the number to confirm: ")
    except EOFError:
        # The input ended after the ID.
        return ""

"""`study_status SLUG [--json]`: print a study's state, ratings and sessions, without scores."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analysis.live import standing
from core.errors import DomainError
from core.paths import PROGRAM
from studies.definition.queries import get


class Command(BaseCommand):
    help = "Print a study's state, usable ratings of those wanted, and sessions; of a draft, what blocks its launch."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="the study's short name")
        parser.add_argument("--json", action="store_true", help="print an object as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            status = standing.full(get(options["slug"]))
        except DomainError as error:
            raise CommandError(f"{error.message} See: {PROGRAM} study list") from None
        if options["json"]:
            self.stdout.write(json.dumps(status, ensure_ascii=False, indent=1))
            return
        for line in lines(status):
            self.stdout.write(line)


def lines(status: dict[str, Any]) -> Iterator[str]:
    """Yield the status in lines for people."""
    sessions, batches = status["sessions"], status["batches"]
    yield f"{status['slug']}: {status['title']}"
    yield f"State:    {status['state']}{', archived' if status['is_archived'] else ''} (preset {status['preset']})"
    if status["state"] == "draft":
        yield f"Launch:   {len(status['blocking'])} to fix" if status["blocking"] else "Launch:   nothing blocks it"
        yield from (f"  {sentence}" for sentence in status["blocking"])
        return
    yield f"Ratings:  {status['ratings']} of {status['ratings_wanted']} wanted are usable"
    counts = {name: sessions[name] for name in ("arrived", "complete", "screened_out", "withdrawn")}
    named = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.items())
    yield f"Sessions: {named}; {status['active']} at work now"
    yield f"Batches:  {batches['valid']} valid, {batches['invalid']} invalid, {batches['waiting']} to be validated"

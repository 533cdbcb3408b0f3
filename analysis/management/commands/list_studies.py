"""`list_studies [--archived] [--json]`: list the studies with their state and ratings."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from analysis.live import standing
from core.paths import PROGRAM
from studies.definition import queries


class Command(BaseCommand):
    help = "List the studies, newest first: short name, state, usable ratings of those wanted, and title."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--archived", action="store_true", help="list the archived studies, which are left out")
        parser.add_argument("--json", action="store_true", help="print a list of objects as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        studies = [standing.brief(study) for study in queries.listed(archived=options["archived"])]
        if options["json"]:
            self.stdout.write(json.dumps(studies, ensure_ascii=False, indent=1))
            return
        if not studies:
            advice = "" if options["archived"] else f" Create one: {PROGRAM} study create SLUG --preset PRESET"
            self.stdout.write(f"There is no {'archived ' if options['archived'] else ''}study.{advice}")
        width = max((len(study["slug"]) for study in studies), default=0)
        for study in studies:
            self.stdout.write(f"{study['slug']:<{width}}  {study['state']:<6}  {ratings(study):>14}  {study['title']}")


def ratings(study: dict[str, Any]) -> str:
    """Return the ratings of those wanted; a dash before the launch."""
    return f"{study['ratings']} of {study['ratings_wanted']}" if study["ratings_wanted"] else "-"

"""Write the results of closed studies as pages for the web: `manage.py publish_results SLUG … --out DIR`."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from analysis.data.models import Simulated
from analysis.runs import publishing
from core import clock
from core.errors import DomainError


class Command(BaseCommand):
    help = (
        "Write an index page, and for each closed study its report, plots and tables, as files that need no server. "
        "They contain no rows of raters."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slugs", nargs="+", metavar="SLUG", help="short names of closed studies")
        parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="a new folder, or an empty one")
        parser.add_argument(
            "--simulated", choices=Simulated.values, default=Simulated.WITHOUT, help="which sessions to read"
        )
        parser.add_argument("--language", choices=settings.CATALOGUES, default="en", help="of the pages (default: en)")

    def handle(self, *args: Any, **options: Any) -> None:
        written = publishing.publish(
            list(dict.fromkeys(options["slugs"])),
            options["out"],
            simulated=Simulated(options["simulated"]),
            language=options["language"],
            clock=clock.now,
        )
        try:
            for path in written:
                self.stdout.write(str(path))
        except DomainError as error:
            details = getattr(error, "problems", {}) or {}
            raise CommandError(" ".join(dict.fromkeys([error.message, *details.values()]))) from error
        except OSError as error:
            raise CommandError(f"Can't write {error.filename or options['out']}: {error.strerror}.") from error

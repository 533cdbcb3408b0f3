"""Write a study's tables into a folder."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analysis.exports import files
from analysis.exports.source import Source
from analysis.models import Simulated
from core.errors import DomainError
from studies.selectors import overview


class Command(BaseCommand):
    help = "Write ratings, raters, clips, batches and their codebook as CSV and JSON lines, with a manifest of hashes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="short name of the study")
        parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="folder to write into")
        parser.add_argument(
            "--simulated", choices=Simulated.values, default=Simulated.WITHOUT, help="which sessions to read"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            source = Source(overview.study(options["slug"]), Simulated(options["simulated"]))
            manifest = files.write(source, options["out"])
        except DomainError as error:
            raise CommandError(error.message) from error
        except OSError as error:
            raise CommandError(f"Can't write to {options['out']}: {error.strerror}.") from error
        for name, facts in manifest["files"].items():
            self.stdout.write(f"{name:16} {facts['rows']:>9} rows  {facts['sha256'][:12]}")
        self.stdout.write(f"Written to {options['out']}, {source.simulated.label}.")

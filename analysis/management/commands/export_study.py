"""Write a study's tables into a folder."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analysis.data import hiding
from analysis.data.hiding import is_hiding
from analysis.data.models import Simulated
from analysis.exports import building, files
from analysis.exports.models import Format, Layout, Profile
from analysis.exports.source import Source
from core import clock
from core.errors import DomainError
from studies.definition import queries as definition_queries


class Command(BaseCommand):
    help = (
        "Write ratings, raters, clips, batches and their codebook, with a manifest of hashes; docs/exports.md has more."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="short name of the study")
        parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="folder to write into")
        parser.add_argument(
            "--simulated", choices=Simulated.values, default=Simulated.WITHOUT, help="which sessions to read"
        )
        parser.add_argument("--format", choices=Format.values, default=Format.CSV, help="how tables are written")
        parser.add_argument("--layout", choices=Layout.values, default=Layout.OWN, help="whose columns they have")
        parser.add_argument("--profile", choices=Profile.values, default=Profile.ANALYSIS, help="whom they are for")
        parser.add_argument(
            "--open-scores",
            default="",
            metavar="REASON",
            help="read scores that are hidden until closing; it is logged",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            source = self.source(options)
            manifest = files.write(source, options["out"])
        except DomainError as error:
            details = getattr(error, "problems", {}) or {}
            raise CommandError(" ".join([error.message, *details.values()])) from error
        except OSError as error:
            raise CommandError(f"Can't write to {options['out']}: {error.strerror}.") from error
        for name, facts in manifest.files.items():
            if facts.rows is not None:
                self.stdout.write(f"{name:16} {facts.rows:>9} rows  {facts.sha256[:12]}")
        if source.is_blind:
            self.stdout.write(
                "Scores are hidden until the study is closed; --open-scores REASON reads them all the same."
            )
        self.stdout.write(f"Written to {options['out']}, {source.simulated.label}.")

    def source(self, options: dict[str, Any]) -> Source:
        """Return the source of the export; a reason opens hidden scores for this run."""
        study = definition_queries.study(options["slug"])
        kind = Format(options["format"]), Layout(options["layout"]), Profile(options["profile"])
        is_blind = is_hiding(study) and not options["open_scores"]
        building.refuse(*kind, is_blind=is_blind)
        if is_hiding(study) and not is_blind:
            now = clock.now()
            hiding.open_early(study=study, user=None, reason=options["open_scores"], now=now)
            hiding.log_sight(study=study, user=None, what="export_study", now=now)
        return Source(study, Simulated(options["simulated"]), *kind, is_blind)

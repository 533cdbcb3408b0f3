"""Import machines' values of a study's clips."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analysis.metrics import queries as metrics_queries
from analysis.metrics import sets
from analysis.metrics.models import MetricSet
from core import clock
from core.errors import DomainError
from studies.definition import queries as definition_queries

SHOWN = 20


class Command(BaseCommand):
    help = (
        "Import a CSV of clip, metric, value, or of clip and a column for each metric, or a judge's scores.csv. "
        "Each metric becomes a new set."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="short name of the study")
        parser.add_argument("file", type=Path, help="CSV with a header; clips are named as in the manifest")
        parser.add_argument("--name", default="", help="what to call the file's only metric")
        parser.add_argument("--low", type=float, help="lower end of the scale; with --high, values are mapped to 0…1")
        parser.add_argument("--high", type=float, help="upper end of the scale")
        parser.add_argument(
            "--direction", choices=MetricSet.Direction.values, default="", help="which values are better"
        )
        parser.add_argument("--source", default="", help="who made it, in your own words")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        description = {name: options[name] for name in ("name", "low", "high", "direction", "source")}
        try:
            study = definition_queries.study(options["slug"])
            content = path.read_bytes()
            metric_sets = sets.import_file(
                study_id=study.pk, content=content, file_name=path.name, now=clock.now(), **description
            )
        except OSError as error:
            raise CommandError(f"Can't read {path}: {error.strerror}.") from error
        except sets.BadFile as error:
            lines = [f"row {each.row}, {each.column or 'file'}: {each.reason}" for each in error.found[:SHOWN]]
            more = [f"… and {len(error.found) - SHOWN} more."] if len(error.found) > SHOWN else []
            raise CommandError("\n".join([error.message, *lines, *more])) from error
        except DomainError as error:
            raise CommandError(error.message) from error
        counted = metrics_queries.coverage(metric_sets, study.pk)
        for each in metric_sets:
            of = counted[each.pk]
            self.stdout.write(f"{each.name}: {of.scored} values; {of.failed + of.missing} clips have no value.")

"""`repair_clips SLUG [--edges S] [--band HZ] [--level LUFS] [--dry-run] [--undo [KIND …]]`: repair a draft's clips."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core import clock
from core.errors import DomainError, Invalid
from core.jobs import FAILED
from studies.audit import measuring, previewing, repair_words, repairing
from studies.audit.models import AppliedRepair
from studies.audit.previewing import RepairException
from studies.clips.models import ClipImport
from studies.definition.models import Study
from studies.definition.queries import get
from studies.imports import requests

KINDS = AppliedRepair.Kind.values


class Command(BaseCommand):
    help = (
        "Repair all clips of a study that isn't launched, of every system and role alike, and measure them again. "
        "The originals are kept. Without a repair, print which ones are applied."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument(
            "--edges", type=float, metavar="S", help="trim or pad silence at both edges to so many seconds"
        )
        parser.add_argument("--band", type=float, metavar="HZ", help="remove frequencies above this from all clips")
        parser.add_argument("--level", type=float, metavar="LUFS", help="bring all clips to this loudness")
        parser.add_argument("--dry-run", action="store_true", help="measure some clips of each system, and change none")
        parser.add_argument(
            "--undo", nargs="*", choices=KINDS, metavar="KIND", help="undo these repairs, or all: %(choices)s"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        values = {kind: options[kind] for kind in KINDS if options[kind] is not None}
        if options["undo"] is not None and (values or options["dry_run"]):
            raise CommandError("Undo repairs, or apply others: not both in one command.")
        try:
            study = get(options["slug"])
            if options["dry_run"]:
                for kind, value in values.items():
                    self._preview(study, kind, value)
            elif options["undo"] is not None:
                kinds = options["undo"] or list(study.definition.audio.repairs)
                self._convert(study, repairing.undo(study=study, kinds=kinds, user=None, now=clock.now()))
            elif values:
                self._convert(study, repairing.apply(study=study, values=values, user=None, now=clock.now()))
        except Invalid as error:
            raise CommandError(" ".join([error.message, *error.problems.values()])) from None
        except DomainError as error:
            raise CommandError(error.message) from None
        if not options["dry_run"]:
            repairs = study.definition.audio.repairs
            self.stdout.write(repair_words.of_all(repairs.items()) if repairs else "No repair is applied.")

    def _preview(self, study: Study, kind: str, value: float) -> None:
        job = previewing.request(study=study, kind=kind, value=value, now=clock.now())
        previewing.run(pk=job.pk)
        job = previewing.newest(study, kind) or job
        if job.error:
            raise CommandError(job.error)
        self.stdout.write(f"{repair_words.summary(kind, value)}:")
        for clip in job.clips:
            changes = (
                f"{name} {_number(clip['before'][name])} → {_number(clip['after'][name])}"
                for name in previewing.MEASURES[kind]
            )
            self.stdout.write(f"  {clip['system']}  {clip['file']}  {', '.join(changes)}")
        for each in job.exceptions:
            self.stdout.write(f"  {each['file']}: {repair_words.of_exception(RepairException(**each))}")

    def _convert(self, study: Study, job: ClipImport | None) -> None:
        if job is None:
            return
        requests.run_import(pk=job.pk)
        job.refresh_from_db()
        if job.state == FAILED:
            raise CommandError(job.error)
        if not job.is_over:
            self.stdout.write("A worker has started on the clips already.")
            return
        self.stdout.write(f"{job.done} clips were made again from their originals.")
        measuring.measure_now(study=study)


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"

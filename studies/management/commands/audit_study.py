"""`audit_study SLUG [--json FILE]`: measure the clips that weren't measured yet, and print what the audit finds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.errors import DomainError
from core.paths import PROGRAM
from studies.audit import measuring, queries, repairing
from studies.audit.findings import AuditFinding, findings
from studies.audit.queries import AuditedClip
from studies.definition.queries import get

SOURCE = ("sample_rate", "channels", "codec", "bit_depth", "clipped")


class Command(BaseCommand):
    help = (
        "Measure the clips of a study that weren't measured yet, compare the systems, and print the findings; "
        "exit with 1 while a finding blocks the launch."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--json", type=Path, metavar="FILE", help="also write findings and measures to this file")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            study = get(options["slug"])
            measuring.measure_now(study=study, progress=self._progress)
        except DomainError as error:
            raise CommandError(error.message) from None
        clips = queries.clips(study)
        results = findings(study, clips)
        for found in results:
            self.stdout.write(f"{level_of(found)}: {found.text} {found.why}")
            if found.repair and found.is_open and study.state == study.State.DRAFT:
                value = repairing.proposed(found.repair, clips, study.definition.audio)
                self.stdout.write(f"  Repair: {PROGRAM} study repair {study.slug} --{found.repair} {value:g} --dry-run")
        if not results:
            self.stdout.write(f"{len(clips)} clips were measured. No difference between systems was found.")
        if options["json"]:
            content = {
                "study": study.slug,
                "findings": list(map(as_json, results)),
                "clips": list(map(measured, clips)),
            }
            try:
                options["json"].write_text(json.dumps(content, ensure_ascii=False, indent=1), encoding="utf-8")
            except OSError as error:
                raise CommandError(f"{options['json']} can't be written: {error.strerror}.") from None
        blocking = sum(found.is_blocking for found in results)
        if blocking:
            raise CommandError(f"{blocking} of {len(results)} findings block the launch.")

    def _progress(self, done: int, total: int) -> None:
        if self.stdout.isatty():
            self.stdout.write(f"\r{done} of {total} clips measured", ending="\n" if done == total else "")
            self.stdout.flush()
        elif done == total or done % 50 == 0:
            self.stdout.write(f"{done} of {total} clips measured")


def level_of(found: AuditFinding) -> str:
    """Return `blocking`, `warning`, or `accepted` as part of what is compared."""
    return "accepted" if found.accepted else found.level


def as_json(found: AuditFinding) -> dict[str, Any]:
    """Return one finding for the file."""
    return {"level": level_of(found), "key": found.key, "text": found.text, "why": found.why}


def measured(clip: AuditedClip) -> dict[str, Any]:
    """Return what is known of one clip, for the file."""
    about = {"file": clip.file, "system": clip.system, "role": clip.role, "text_id": clip.text}
    source = {name: getattr(clip, name) for name in SOURCE}
    return {**about, "source": source, "problem": clip.problem or "", "measures": clip.values}

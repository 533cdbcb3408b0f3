"""`import_clips SLUG --manifest FILE [--root DIR] [--questions FILE] [--golden FILE]`: bring clips into a study.

`--store-folder NAME` reads them from the store instead. Without a manifest, the questions alone are imported.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.errors import DomainError
from studies.definition.models import Study
from studies.definition.queries import get
from studies.imports import publishing, question_lists, requests
from studies.imports.ingest.problems import InvalidInput
from studies.imports.store_folders import StoreFolder

HEADER = ("table", "row", "file", "column", "reason")
WIDEST = 60


class Command(BaseCommand):
    help = (
        "Import the clips that a manifest names, and the questions on them: all of them, or none; "
        "exit with 1 if there are problems. With --questions or --golden alone, the passages are those of the study."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument(
            "--manifest",
            type=Path,
            help="CSV file: one row a clip (default with --store-folder: the one in the folder)",
        )
        where = parser.add_mutually_exclusive_group()
        where.add_argument(
            "--root",
            type=Path,
            help="folder or ZIP file that the manifest's names start from (default: its own folder)",
        )
        where.add_argument("--store-folder", metavar="NAME", help="folder below incoming/ in the store")
        parser.add_argument("--questions", type=Path, help="CSV file: one row a question on a passage (a text_id)")
        parser.add_argument("--golden", type=Path, help="CSV file: one row a question that anybody can answer")

    def handle(self, *args: Any, **options: Any) -> None:
        manifest: Path | None = options["manifest"]
        lists = {name: path for name in ("questions", "golden") if (path := options[name]) is not None}
        try:
            study = get(options["slug"])
            if manifest is None and not options["store_folder"] and lists:
                self._import_questions(study, lists)
                return
            job = requests.import_folder(
                study=study,
                manifest_path=manifest,
                root=_root(manifest, options),
                questions_path=options["questions"],
                golden_path=options["golden"],
                progress=self._progress,
            )
        except DomainError as error:
            raise CommandError(error.message) from None
        except InvalidInput as error:
            raise CommandError(str(error)) from None
        self._report(job.report)
        and_questions = f" and {job.questions_added} questions" if job.questions_added else ""
        self.stdout.write(f"Imported {job.clips_added} clips{and_questions} into {study.slug}.")

    def _import_questions(self, study: Study, lists: Mapping[str, Path]) -> None:
        if missing := [path for path in lists.values() if not path.is_file()]:
            raise CommandError(f"There is no file {missing[0]}.")
        files = publishing.Files(None, **{name: path.read_bytes() for name, path in lists.items()})
        try:
            result = question_lists.store(study=study, lists=publishing.read(files))
        except question_lists.QuestionsRefused as error:
            self._report([problem.as_dict() for problem in error.problems])
        else:
            self._report([problem.as_dict() for problem in result.problems])
            counts = f"{len(result.new)} added, {len(result.changed)} changed, {result.same} as before"
            self.stdout.write(f"Questions of {study.slug}: {counts}.")

    def _report(self, report: Sequence[Mapping[str, Any]]) -> None:
        """Print refusals and warnings; raise `CommandError` if anything was refused."""
        refused = [line for line in report if not line["warning"]]
        warnings = [line for line in report if line["warning"]]
        for title, lines in (("Refused:", refused), ("Warnings:", warnings)):
            if lines:
                self.stdout.write("\n".join([title, *table(lines)]))
        if refused:
            raise CommandError(f"Nothing was imported: {len(refused)} refusals. Correct them and run this again.")

    def _progress(self, done: int, total: int) -> None:
        """Show progress: rewrite one line on a terminal; elsewhere print a line from time to time."""
        if self.stdout.isatty():
            self.stdout.write(f"\r{done} of {total} clips read", ending="\n" if done == total else "")
            self.stdout.flush()
        elif done == total or (done and done % 50 == 0):
            self.stdout.write(f"{done} of {total} clips read")


def _root(manifest: Path | None, options: dict[str, Any]) -> Path | StoreFolder:
    """Return where the clips are."""
    if options["store_folder"]:
        return StoreFolder(options["store_folder"])
    if manifest is None:
        raise CommandError("Name the clips' manifest: --manifest FILE, or --store-folder NAME.")
    return options["root"] or manifest.parent


def table(lines: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the lines of a report as columns of text; the row is empty where the whole import is meant."""
    cells = [HEADER] + [tuple(str(line[name] or "") for name in HEADER) for line in lines]
    *columns, _reason = range(len(HEADER))
    widths = [min(WIDEST, max(len(row[i]) for row in cells)) for i in columns]
    indent = " " * (sum(widths) + 2 * len(HEADER))
    printed = []
    for row in cells:
        start = "  ".join(row[i].ljust(widths[i]) for i in columns)
        reason = textwrap.wrap(row[-1], 90) or [""]
        printed.append(f"  {start}  {reason[0]}".rstrip())
        printed += [indent + more for more in reason[1:]]
    return printed

"""`import_clips SLUG [--root DIR] [--manifest FILE] [--questions FILE] [--golden FILE]`: bring clips into a study.

Without a manifest, the table next to the clips is read, or one is proposed from the names of the files: `--layout`
says what these mean, and `--propose FILE` writes the proposal instead of importing it. `--store-folder NAME` reads
clips from the store, `--traps-from SLUG` copies the traps of another study. With questions only, nothing else is
imported.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.errors import DomainError
from studies.definition.models import Study
from studies.definition.queries import get
from studies.imports import publishing, question_lists, requests
from studies.imports.ingest import adapting, guess
from studies.imports.ingest.archive import FileSource, NoTable
from studies.imports.ingest.layouts import PARTS
from studies.imports.ingest.manifest import EXTRA
from studies.imports.ingest.name_words import says_little
from studies.imports.ingest.problems import InvalidInput
from studies.imports.store_folders import StoreFolder
from studies.imports.trap_sets import TrapSet

HEADER = ("table", "row", "file", "column", "reason")
WIDEST = 60
Source = Path | StoreFolder | TrapSet
# Values that are listed of a proposal.
SHOWN = 8


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
            help="table with one row a clip: CSV, TSV, pipes or JSON lines (default: the one next to the clips, "
            "or else a table proposed from the names of the files)",
        )
        where = parser.add_mutually_exclusive_group()
        where.add_argument(
            "--root",
            type=Path,
            help="folder or ZIP file with the clips (default: the folder of the manifest)",
        )
        where.add_argument("--store-folder", metavar="NAME", help="folder below incoming/ in the store")
        where.add_argument("--traps-from", metavar="SLUG", help="study whose traps are copied, recordings and labels")
        parser.add_argument(
            "--layout",
            default="",
            help="what folders and the words of file names are, for example system/text or text_speaker_system; "
            f"the parts are {', '.join(PARTS)}",
        )
        parser.add_argument(
            "--propose", type=Path, metavar="FILE", help="write the proposed table, to correct it, and import nothing"
        )
        parser.add_argument(
            "--skip-bad", action="store_true", help="import the other clips if a file can't be read (it is listed)"
        )
        known = parser.add_mutually_exclusive_group()
        known.add_argument(
            "--skip-known", action="store_true", help="keep clips of the same name that the study has already"
        )
        known.add_argument(
            "--replace-known",
            action="store_true",
            help="replace clips of the same name that a draft has already; the old ones are deleted",
        )
        parser.add_argument(
            "--keep-declared",
            action="store_true",
            help="of WAV files that go on with something unknown, import the part that the header declares",
        )
        parser.add_argument(
            "--keep",
            action="append",
            default=[],
            metavar="NAME",
            help="column of the table to keep as it is, as x_NAME in clips.csv; can be repeated",
        )
        parser.add_argument("--questions", type=Path, help="CSV file: one row a question on a passage (a text_id)")
        parser.add_argument("--golden", type=Path, help="CSV file: one row a question that anybody can answer")

    def handle(self, *args: Any, **options: Any) -> None:
        manifest: Path | None = options["manifest"]
        lists = {name: path for name in ("questions", "golden") if (path := options[name]) is not None}
        try:
            study = get(options["slug"])
            sources = ("store_folder", "traps_from", "root")
            if manifest is None and lists and not any(options[name] for name in sources):
                self._import_questions(study, lists)
                return
            root = _root(study, manifest, options)
            content = self._proposed(root, manifest, options)
            if options["propose"]:
                return
            job = requests.import_folder(
                study=study,
                manifest_path=manifest,
                manifest=content,
                root=root,
                questions_path=options["questions"],
                golden_path=options["golden"],
                choices=requests.Choices(
                    leaves_out=options["skip_bad"],
                    skips_known=options["skip_known"],
                    replaces_known=options["replace_known"],
                    keeps_declared=options["keep_declared"],
                ),
                progress=self._progress,
            )
        except DomainError as error:
            raise CommandError(error.message) from None
        except InvalidInput as error:
            raise CommandError(str(error)) from None
        self._report(job.report)
        and_questions = f" and {job.questions_added} questions" if job.questions_added else ""
        left_out = f" Left out: {job.left_out}." if job.left_out else ""
        self.stdout.write(f"Imported {job.clips_added} clips{and_questions} into {study.slug}.{left_out}")

    def _proposed(self, root: Source, path: Path | None, options: dict[str, Any]) -> bytes | None:
        """Return the manifest that is proposed from names and a table, or None if there is one to be read as it is."""
        with requests.source_of(root) as source:
            table = _table(source, path)
            is_asked = options["layout"] or options["propose"]
            kept = options["keep"]
            if kept and table is None:
                raise CommandError("There is no table with columns to keep.")
            if table is not None and not is_asked and adapting.is_manifest(table):
                return adapting.keeping(table, kept) if kept else None
            proposal = guess.propose(source.names, table, dict.fromkeys(kept, EXTRA), options["layout"])
            proposal = named_by_folder(proposal, root)
            adapting.check_kept(kept, proposal.mapping)
        lines = [problem.as_dict() for problem in adapting.left_out(proposal)]
        self._report(lines)
        self.stdout.write(described(proposal))
        if options["propose"]:
            options["propose"].write_bytes(guess.as_manifest(proposal.rows))
            self.stdout.write(f"Wrote {len(proposal.rows)} rows to {options['propose']}. Give it back as --manifest.")
        elif problem := unclear(proposal):
            raise CommandError(problem)
        return guess.as_manifest(proposal.rows)

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


def _root(study: Study, manifest: Path | None, options: dict[str, Any]) -> Source:
    """Return where the clips are."""
    if options["store_folder"]:
        return StoreFolder(options["store_folder"])
    if options["traps_from"]:
        return TrapSet(get(options["traps_from"]), study)
    if root := options["root"]:
        return Path(root)
    if manifest is None:
        raise CommandError(
            "Say where the clips are: --root FOLDER, --manifest FILE, --store-folder NAME or --traps-from SLUG."
        )
    return manifest.parent


def _table(source: FileSource, path: Path | None) -> bytes | None:
    """Return the table that was named, or the one next to the clips; None if there is none."""
    if path is not None:
        if not path.is_file():
            raise CommandError(f"There is no file {path}.")
        return path.read_bytes()
    try:
        return source.manifest()
    except NoTable:
        return None


def named_by_folder(proposal: guess.Proposal, root: Source) -> guess.Proposal:
    """Take the name of the folder for the system, if all clips are in one folder and no name tells their system."""
    parents = {PurePosixPath(row["file"]).parent.name for row in proposal.rows}
    if len(parents) > 1 or any(row["system"] for row in proposal.rows):
        return proposal
    path = root.resolve() if isinstance(root, Path) else PurePosixPath(root.name)
    system = parents.pop() or (path.stem if path.suffix.lower() == ".zip" else path.name)
    if says_little(system):
        return proposal
    return replace(proposal, rows=tuple({**row, "system": system} for row in proposal.rows))


def described(proposal: guess.Proposal) -> str:
    """Return how names and table were read, in a few lines."""
    read = [f"{name} → {column}" for name, column in proposal.mapping.items() if column]
    lines = [f"Columns of the table: {', '.join(read)}."] if read else []
    lines.append(f"Names of files read as: {proposal.layout}")
    for title, column in (("Systems", "system"), ("Roles", "role"), ("Voices", "voice"), ("Texts", "text_id")):
        values = list(dict.fromkeys(row.get(column, "") for row in proposal.rows if row.get(column)))
        if values:
            more = " …" if len(values) > SHOWN else ""
            lines.append(f"{title}: {len(values)} ({', '.join(values[:SHOWN])}{more})")
    return "\n".join(lines)


def unclear(proposal: guess.Proposal) -> str:
    """Return what only the researcher can say of the proposed rows, and how; empty if all is clear."""
    if proposal.readings:
        ways = [
            f"  --layout {reading.layout}  ({reading.example['file']}: system {reading.example['system'] or '–'}, "
            f"text {reading.example['text_id'] or '–'})"
            for reading in proposal.readings
        ]
        return "\n".join(["The names can be read in two ways. Nothing was imported. Say which one is right:", *ways])
    lacking = [row["file"] for row in proposal.rows if not row["system"] or not row["role"]]
    if lacking:
        return (
            f"The names don't tell the system or the role of {len(lacking)} clips, for example {lacking[0]}. Nothing "
            "was imported. Put the clips of each system into a folder with its name, say it with --layout, or write "
            "the table with --propose FILE, fill in the column, and give it back as --manifest."
        )
    return ""


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

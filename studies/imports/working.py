"""Run one import: decode all clips into a scratch folder, then publish clips and questions in one transaction."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from django.core.files.storage import default_storage
from django.db import DatabaseError, OperationalError

from core import jobs
from core.files import storage
from core.files.room import require_room
from core.text.words import say
from core.web import busy
from studies.clips.models import ClipImport
from studies.clips.stored import discard_unnamed, root_of
from studies.definition import queries as definition_queries
from studies.imports import publishing, renditions
from studies.imports.ingest import adapting, manifest
from studies.imports.ingest.anchors import anchors
from studies.imports.ingest.archive import FileSource
from studies.imports.ingest.problems import TABLES, ImportProblem, InvalidInput
from studies.imports.ingest.staging import Staged, stage
from studies.imports.publishing import ClipsRejected, StoredClip, TakenOver, clashes, publish
from studies.imports.scratch import scratch


def keep(job: ClipImport, path: Path) -> str:
    """Store a staged file, and return its name."""
    with path.open("rb") as file:
        return storage.put(_folder(job), file)


def discard_leftovers(job: ClipImport) -> None:
    """Delete files that an earlier worker stored for this import before it was killed."""
    discard_unnamed(_below(_folder(job)), root=root_of(job.study))


def _folder(job: ClipImport) -> str:
    return f"clips/{job.pk}"


def _below(folder: str) -> Iterator[str]:
    folders: list[str] = []
    files: list[str] = []
    with contextlib.suppress(FileNotFoundError):
        folders, files = default_storage.listdir(folder)
    yield from (f"{folder}/{name}" for name in files)
    for name in folders:
        yield from _below(f"{folder}/{name}")


REPORT_LINES = 2000
RENEW_SECONDS = 2.0
Progress = Callable[[int, int], None]

__all__ = ["TakenOver", "work"]


def work(
    job: ClipImport,
    files: publishing.Files,
    open_source: Callable[[], FileSource],
    *,
    now: Callable[[], datetime],
    progress: Progress | None = None,
) -> None:
    """Finish a claimed job, with all clips or with a report; raise `TakenOver` as soon as another worker has it."""

    told_at = float("-inf")

    def renew(done: int, total: int, *, at_once: bool = False) -> None:
        # Not for every row: each report is a commit, for which others wait.
        nonlocal told_at
        if not at_once and time.monotonic() - told_at < RENEW_SECONDS:
            return
        told_at = time.monotonic()
        require_room()
        try:
            if not jobs.renew(job, now(), done=done, total=total):
                raise TakenOver
        except OperationalError as error:
            # The lease lasts for many of these; the decoded clips matter more than the progress bar.
            if not busy.is_busy(error):
                raise

    def advance(done: int, total: int) -> None:
        renew(done, total, at_once=done == total)
        if progress:
            progress(done, total)

    study = job.study
    require_room()
    source, hopeless_archive = None, []
    try:
        source = open_source()
        content = files.manifest if files.manifest is not None else source.manifest()
    except InvalidInput as error:
        hopeless_archive = [ImportProblem(0, job.archive_name, "", str(error), table="")]
        if files.manifest is None:
            _refuse(job, hopeless_archive, now())
            return
        content = files.manifest
    read, changes = _read(content, source)
    lists = publishing.read(files)
    raters_meet = definition_queries.definition(study)
    new_anchors, unnamed = anchors(read.rows, raters_meet.kind.anchors(raters_meet.params), read.files)
    clashing = clashes(study, [*read.rows, *(anchor.row for anchor in new_anchors)])
    if job.replaces_known:
        # They make room when the new ones are added.
        clashing = [problem for problem in clashing if problem.column != "file"]
    elif job.skips_known:
        clashing = [skipped(problem) if problem.column == "file" else problem for problem in clashing]
    clashing += unnamed
    problems = [
        *changes,
        *read.problems,
        *clashing,
        *(problem for questions in lists for problem in questions.problems),
    ]
    problems += publishing.clashes_of_lists(study, lists, read.texts)
    hopeless = {problem.row for problem in clashing}
    rows = [row for row in read.rows if row.number not in hopeless]
    new_anchors = [anchor for anchor in new_anchors if anchor.row.number not in hopeless]
    if source is None:
        _refuse(job, [*problems, *hopeless_archive], now())
        return
    problems += source.match(read.files)
    audio = study.definition.audio
    with scratch(job) as folder:
        target = replace(renditions.target_of(audio), keeps_declared=job.keeps_declared)
        staged, found = stage(source, rows, target, folder, advance, new_anchors)
        problems += [left_out(problem) for problem in found] if job.leaves_out and staged else found
        if any(not problem.warning for problem in problems):
            _refuse(job, problems, now())
        else:
            _publish(job, staged, audio.recipe, lists, problems, lambda: renew(len(staged), len(staged)), now)


def left_out(problem: ImportProblem) -> ImportProblem:
    """Return the refusal of a file as a warning that it was left out; warnings stay as they are."""
    return problem if problem.warning else replace(problem, warning=True, left_out=True)


def skipped(problem: ImportProblem) -> ImportProblem:
    """Return the same for a clip that the study has already."""
    return replace(left_out(problem), reason=say("The study already has a clip of this name: it was kept."))


def _read(content: bytes, source: FileSource | None) -> tuple[manifest.Manifest, list[ImportProblem]]:
    """Read a manifest; a table that isn't quite one is adapted, with warnings of what is left out of it."""
    read = manifest.read(content)
    if source is None:
        return read, []
    source.match(read.files)
    if any(not source.missing(file) for file in read.files):
        return read, []
    try:
        content, changes = adapting.adapted(content, source.names)
    except adapting.Ambiguous as error:
        return manifest.Manifest((), (ImportProblem(0, "", "system", str(error)),)), []
    except InvalidInput:
        # What is wrong with it as a manifest is said with its rows.
        return read, []
    return manifest.read(content), changes


def _publish(
    job: ClipImport,
    staged: Iterable[Staged],
    recipe: str,
    lists: publishing.Lists,
    problems: list[ImportProblem],
    renew: Callable[[], None],
    now: Callable[[], datetime],
) -> None:
    """Store every file, then make the rows in one transaction; delete the files if that fails."""
    names: list[str] = []
    stored: list[StoredClip] = []
    try:
        for clip in staged:
            renew()
            names.append(original := keep(job, clip.original))
            names.append(rendition := keep(job, clip.rendition))
            stored.append(StoredClip(clip.row, clip.facts, original, rendition, recipe))
        lines = report(problems)
        busy.patiently(lambda: publish(job, stored, lists, report=lines, now=now()))
    except ClipsRejected as error:
        discard_unnamed(names, root=root_of(job.study))
        _refuse(job, [*problems, *error.problems], now())
    except BaseException:
        # Without the database, it is unknown whether they are in use; the next try deletes them.
        with suppress(DatabaseError):
            discard_unnamed(names, root=root_of(job.study))
        raise


def _refuse(job: ClipImport, problems: Iterable[ImportProblem], now: datetime) -> None:
    if not busy.patiently(lambda: jobs.finish(job, now, report=report(problems), clips_added=0)):
        raise TakenOver


def report(problems: Iterable[ImportProblem]) -> list[dict[str, str | int | bool]]:
    """Return the lines of a report: errors first, by row; a very long report is shortened, and says so."""
    ordered = sorted(
        problems, key=lambda problem: (problem.warning, TABLES.index(problem.table), problem.row, problem.file)
    )
    lines = [problem.as_dict() for problem in ordered[:REPORT_LINES]]
    if len(ordered) > REPORT_LINES:
        more = say("There are {number} more lines like these.", number=len(ordered) - REPORT_LINES)
        lines.append(ImportProblem(0, "", "", more, True, "").as_dict())
    return lines

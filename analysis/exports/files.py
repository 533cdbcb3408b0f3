"""Write the tables of a study into a folder, as CSV and lossless JSON lines or as Parquet, with a manifest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

from analysis.data import hiding
from analysis.exports import (
    breakdowns,
    browsing,
    checks,
    clips,
    codes,
    people,
    profiles,
    questionnaire,
    ratings,
    reviews,
    score_looks,
    spot_checks,
)
from analysis.exports.columns import ExportTable, codebook
from analysis.exports.layouts import LAYOUTS, audiofolder
from analysis.exports.manifest import ExportedFile, Manifest, describe
from analysis.exports.models import Format, Layout, Profile
from analysis.exports.source import Source
from analysis.exports.workbook import Workbook
from analysis.exports.writers import Parquet, Texts, Writer, create
from analysis.sections.results import dump
from core import garbage
from core.database.paging import by_index
from raters.experts import code_tables, review_overview
from raters.rating.breakdowns import has_skipped
from raters.sessions import checks as check_results
from raters.sessions import questionnaire as responses
from studies.clips import tables as clips_tables
from studies.spot_checks import overview

# Rows that are written at once; progress is reported after each page.
PROGRESS_EVERY = 2000

Progress = Callable[[int], None]


def tables(source: Source) -> list[ExportTable]:
    """Return the tables of an export, largest first, reduced to what its profile allows, and their codebook."""
    if source.profile == Profile.PAYMENT:
        listed = [ExportTable("payment", people.PAYMENT, lambda: people.payment(source))]
    elif source.layout != Layout.OWN:
        listed = LAYOUTS[source.layout](source)
    else:
        listed = profiles.shaped(own(source), source)
    return [*listed, codebook(listed)]


def own(source: Source) -> list[ExportTable]:
    """Return Earshot's own tables; tables without rows, such as questions or breakdowns, are left out."""
    listed = [
        ExportTable("ratings", ratings.COLUMNS, lambda: ratings.rows(source)),
        ExportTable("raters", people.RATERS, lambda: people.raters(source)),
        ExportTable("clips", clips.columns(source), lambda: clips.clips(source)),
        ExportTable("batches", people.BATCHES, lambda: people.batches(source)),
        ExportTable("evidence", browsing.EVIDENCE, lambda: browsing.evidence(source)),
    ]
    if check_results.has_results(source.study.pk):
        listed.append(ExportTable("checks", checks.COLUMNS, lambda: checks.rows(source)))
    if responses.has_responses(source.study.pk):
        listed.append(ExportTable("questionnaire", questionnaire.COLUMNS, lambda: questionnaire.rows(source)))
    if clips_tables.has_questions(source.study.pk):
        listed.append(ExportTable("questions", clips.QUESTIONS, lambda: clips.questions(source)))
    if source.definition.kind.breakdowns:
        listed.append(ExportTable("breakdowns", breakdowns.COLUMNS, lambda: breakdowns.rows(source)))
    if has_skipped(source.study.pk):
        listed.append(ExportTable("skipped", browsing.SKIPPED, lambda: browsing.skipped(source)))
    if review_overview.has_reviews(source.study.pk):
        listed.append(ExportTable("reviews", reviews.COLUMNS, lambda: reviews.rows(source)))
    # Codes come from answers, and quote them.
    if not source.is_blind and code_tables.has_codings(source.study.pk):
        listed.append(ExportTable("codes", codes.COLUMNS, lambda: codes.rows(source)))
    if overview.has_decisions(source.study.pk):
        listed.append(ExportTable("spot_checks", spot_checks.COLUMNS, lambda: spot_checks.rows(source)))
    if hiding.openings(source.study.pk):
        listed.append(ExportTable("score_looks", score_looks.COLUMNS, lambda: score_looks.rows(source)))
    return listed


@by_index()
@garbage.new_alone()
def write(source: Source, folder: Path, progress: Progress = lambda rows: None) -> Manifest:
    """Write every file and return the manifest; two exports of the same data are identical bytes.

    One SELECT per page of rows and a few megabytes of memory for any number of rows. `progress` gets the rows written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files: dict[str, ExportedFile] = {}
    written = 0
    for table in tables(source):
        writer, paths = opened(table, source, folder)
        number = 0
        for page in table.pages(PROGRESS_EVERY):
            writer.add(page)
            number += len(page[table.columns[0].name])
            progress(written + number)
        writer.close()
        written += number
        for path in paths:
            files[path.relative_to(folder).as_posix()] = _facts(path, rows=number)
    if source.layout == Layout.AUDIOFOLDER:
        for path in audiofolder.copy_audio(source, folder):
            files[path.relative_to(folder).as_posix()] = _facts(path)
            progress(written)
    manifest = describe(source, files)
    with create(folder / "manifest.json") as file:
        json.dump(dump(manifest), file, ensure_ascii=False, indent=2)
        file.write("\n")
    return manifest


def opened(table: ExportTable, source: Source, folder: Path) -> tuple[Writer, list[Path]]:
    """Open the files that a table is written to; the codebook is always CSV, for people to read."""
    if table.file:
        path = folder / table.file
        return Texts(table.columns, path, header=table.header), [path]
    path = folder / table.name
    csv, lines = path.with_suffix(".csv"), path.with_suffix(".jsonl")
    if source.format == Format.EXCEL:
        return Texts(table.columns, csv, has_mark=True), [csv]
    if source.format == Format.XLSX:
        return Workbook(table.columns, book := path.with_suffix(".xlsx")), [book]
    if source.format == Format.PARQUET and table.name != "codebook":
        return Parquet(table.columns, parquet := path.with_suffix(".parquet")), [parquet]
    return Texts(table.columns, csv, lines), [csv, lines]


def _facts(path: Path, **rows: int) -> ExportedFile:
    with open(path, "rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    return ExportedFile(**rows, bytes=path.stat().st_size, sha256=sha256)

"""Write the tables of a study into a folder: CSV for people, JSON lines without any loss, and what was written."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from analysis.data import hiding
from analysis.exports import (
    breakdowns,
    browsing,
    checks,
    clips,
    codebook,
    codes,
    payment,
    people,
    profiles,
    questionnaire,
    questions,
    ratings,
    reviews,
    score_looks,
    spot_checks,
)
from analysis.exports.columns import Table
from analysis.exports.layouts import LAYOUTS, audiofolder
from analysis.exports.models import Format, Layout, Profile
from analysis.exports.source import Source
from analysis.exports.writers import Csv, JsonLines, Parquet, Writer, create
from raters.experts import code_tables, review_overview
from raters.rating.breakdowns import has_skipped
from raters.rating.ratings import TRAPS
from raters.sessions import checks as check_results
from raters.sessions import questionnaire as responses
from studies.clips import tables as clips_tables
from studies.definition.settings.crowd import Crowd
from studies.rules import validity
from studies.spot_checks import overview

SCHEMA = 1
PROGRESS_EVERY = 2000
CODES = tuple(name for name in Crowd.model_fields if name.endswith("_code"))

Progress = Callable[[int], None]


def tables(source: Source) -> list[Table]:
    """Return the tables of an export, the largest first, as its profile may have them, and their codebook."""
    if source.profile == Profile.PAYMENT:
        listed = [Table("payment", payment.COLUMNS, lambda: payment.rows(source))]
    elif source.layout != Layout.OWN:
        listed = LAYOUTS[source.layout](source)
    else:
        listed = profiles.shaped(own(source), source)
    return [*listed, codebook.table(listed)]


def own(source: Source) -> list[Table]:
    """Return Earshot's own tables; a study without questions, breakdowns and the like has none of these."""
    listed = [
        Table("ratings", ratings.COLUMNS, lambda: ratings.rows(source)),
        Table("raters", people.RATERS, lambda: people.raters(source)),
        Table("clips", clips.COLUMNS, lambda: clips.rows(source)),
        Table("batches", people.BATCHES, lambda: people.batches(source)),
        Table("evidence", browsing.EVIDENCE, lambda: browsing.evidence(source)),
    ]
    if check_results.has_results(source.study.pk):
        listed.append(Table("checks", checks.COLUMNS, lambda: checks.rows(source)))
    if responses.has_responses(source.study.pk):
        listed.append(Table("questionnaire", questionnaire.COLUMNS, lambda: questionnaire.rows(source)))
    if clips_tables.has_questions(source.study.pk):
        listed.append(Table("questions", questions.COLUMNS, lambda: questions.rows(source)))
    if source.definition.kind.breakdowns:
        listed.append(Table("breakdowns", breakdowns.COLUMNS, lambda: breakdowns.rows(source)))
    if has_skipped(source.study.pk):
        listed.append(Table("skipped", browsing.SKIPPED, lambda: browsing.skipped(source)))
    if review_overview.has_reviews(source.study.pk):
        listed.append(Table("reviews", reviews.COLUMNS, lambda: reviews.rows(source)))
    # Codes are found in what was answered, and quote it.
    if not source.is_blind and code_tables.has_codings(source.study.pk):
        listed.append(Table("codes", codes.COLUMNS, lambda: codes.rows(source)))
    if overview.has_decisions(source.study.pk):
        listed.append(Table("spot_checks", spot_checks.COLUMNS, lambda: spot_checks.rows(source)))
    if hiding.openings(source.study.pk):
        listed.append(Table("score_looks", score_looks.COLUMNS, lambda: score_looks.rows(source)))
    return listed


def write(source: Source, folder: Path, progress: Progress = lambda rows: None) -> dict[str, Any]:
    """Write every file and return the manifest; two exports of the same data are equal to the byte.

    A SELECT a page of rows, a few megabytes of memory whatever their number. `progress` hears of rows written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files: dict[str, dict[str, Any]] = {}
    written = 0
    for table in tables(source):
        writers = opened(table, source, folder)
        rows = 0
        for row in table.rows():
            for writer in writers.values():
                writer.add(row)
            rows += 1
            written += 1
            if written % PROGRESS_EVERY == 0:
                progress(written)
        for path, writer in writers.items():
            writer.close()
            files[path.relative_to(folder).as_posix()] = _facts(path, rows=rows)
    if source.layout == Layout.AUDIOFOLDER:
        for path in audiofolder.copy_audio(source, folder):
            files[path.relative_to(folder).as_posix()] = _facts(path)
            progress(written)
    manifest = describe(source, files)
    with create(folder / "manifest.json") as file:
        json.dump(manifest, file, ensure_ascii=False, indent=2)
        file.write("\n")
    return manifest


def opened(table: Table, source: Source, folder: Path) -> dict[Path, Writer]:
    """Return the files that a table is written to; the codebook stays a CSV, to be read by people."""
    if table.file:
        path = folder / table.file
        return {path: Csv(path, table.columns, header=table.header)}
    if source.format == Format.PARQUET and table.name != "codebook":
        path = folder / f"{table.name}.parquet"
        return {path: Parquet(path, table.columns)}
    csv, lines = folder / f"{table.name}.csv", folder / f"{table.name}.jsonl"
    return {csv: Csv(csv, table.columns), lines: JsonLines(lines, table.columns)}


def _facts(path: Path, **more: int) -> dict[str, Any]:
    return {**more, "bytes": path.stat().st_size, "sha256": sha256(path)}


def describe(source: Source, files: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return what was exported, by which rules, with the hash of every file; no clock, so that it can be compared."""
    study, definition = source.study, source.definition
    protocol, scale = definition.protocol, definition.kind.score
    return {
        "schema_version": SCHEMA,
        "app_version": source.app_version,
        "study": study.slug,
        "title": study.title,
        "state": study.state,
        "simulated": source.simulated.value,
        "format": source.format.value,
        "layout": source.layout.value,
        "profile": source.profile.value,
        "scores_hidden": source.is_blind,
        "preset": definition.preset,
        "task_type": {"name": definition.task_type, "version": definition.kind.version},
        "playback": protocol.playback,
        "versions": [
            {"number": version.number, "sha256": version.sha256, "definition": without_codes(version.definition)}
            for version in source.versions
        ],
        "score": {"name": scale.name, "part": scale.part, "low": scale.low, "high": scale.high, "unit": scale.unit},
        "rules": {
            "usable": "answered, in a batch that was decided, with no active verdict against it",
            "batch_valid": {
                "rule": validity.RULE,
                "version": validity.VERSION,
                "traps": list(TRAPS) if definition.kind.traps else [],
            },
            "rater": definition.kind.rule,
            "expert_review": source.study.definition.review.model_dump(mode="json"),
            "coding": source.study.definition.coding.model_dump(mode="json"),
            "spot_check": source.study.definition.spot_check.model_dump(mode="json"),
            "score": f"mean of rows with part {scale.part}, role test and usable true, each row weight 1",
        },
        "files": files,
        "notes": notes(source),
    }


def notes(source: Source) -> list[str]:
    """Return notes for people who open the files without the documentation."""
    lines = [
        "CSV: UTF-8, LF, comma. An empty cell is a missing value.",
        "In columns of type text an apostrophe stands before what a spreadsheet would compute; "
        "the .jsonl and .parquet files hold the same rows without any change.",
        f"The codes by which raters are paid ({', '.join(CODES)}) are left out of the definitions; "
        "the sha256 of a version is that of its definition with them.",
    ]
    if source.is_blind:
        lines.append(
            "Scores are hidden until the study is closed: answers, scores, reasons and notes are left out, "
            "and every answer has the one row of its scored part."
        )
    if source.is_open:
        lines.append(
            "For publication: pseudonyms of their own, days instead of times, no free text of raters and experts, no "
            "text and no audio of black-box systems. Who holds another export may still match rows by what they say."
        )
    if source.layout != Layout.OWN:
        lines.append(
            "Another tool's form: the scored part of usable answers to test items alone. "
            "What was left out, and why, is in Earshot's own tables."
        )
    return lines


def without_codes(definition: dict[str, Any]) -> dict[str, Any]:
    """Return a definition without what raters are paid for: an export may be shared while people still rate."""
    crowd = definition.get("crowd", {})
    public = {name: value for name, value in crowd.items() if name not in CODES}
    if "{code}" not in public.get("return_url", "{code}"):
        # Pasted whole from the crowd platform: the code is in it.
        public["return_url"] = urlsplit(public["return_url"])._replace(path="", query="", fragment="").geturl()
    return {**definition, "crowd": public}


def sha256(path: Path) -> str:
    """Return the hash of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

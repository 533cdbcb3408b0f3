"""Write the tables of a study into a folder: CSV for people, JSON lines without any loss, and what was written."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TextIO
from urllib.parse import urlsplit

from analysis.exports import breakdowns, clips, codebook, people, questions, ratings, reviews, spot_checks
from analysis.exports.columns import Column, Table, cell, plain
from analysis.exports.source import Source
from raters.selectors import review_overview
from raters.selectors.ratings import TRAPS
from studies.protocols import validity
from studies.selectors import clips_table, spot_overview

SCHEMA = 1
BUFFER = 1 << 20
PROGRESS_EVERY = 2000
CODES = ("completion_code", "declined_code", "withdrawn_code")
QUOTE, DOUBLED = '"', '""'
SPECIAL = re.compile(r'[",\r\n]')

Progress = Callable[[int], None]


def tables(source: Source) -> list[Table]:
    """Return the tables of an export, the largest first; a study without questions or breakdowns has none of these."""
    listed = [
        Table("ratings", ratings.COLUMNS, lambda: ratings.rows(source)),
        Table("raters", people.RATERS, lambda: people.raters(source)),
        Table("clips", clips.COLUMNS, lambda: clips.rows(source)),
        Table("batches", people.BATCHES, lambda: people.batches(source)),
    ]
    if clips_table.has_questions(source.study.pk):
        listed.append(Table("questions", questions.COLUMNS, lambda: questions.rows(source)))
    if source.definition.kind.breakdowns:
        listed.append(Table("breakdowns", breakdowns.COLUMNS, lambda: breakdowns.rows(source)))
    if review_overview.has_reviews(source.study.pk):
        listed.append(Table("reviews", reviews.COLUMNS, lambda: reviews.rows(source)))
    if spot_overview.has_decisions(source.study.pk):
        listed.append(Table("spot_checks", spot_checks.COLUMNS, lambda: spot_checks.rows(source)))
    return [*listed, codebook.table(listed)]


def write(source: Source, folder: Path, progress: Progress = lambda rows: None) -> dict[str, Any]:
    """Write every file and return the manifest; two exports of the same data are equal to the byte.

    A SELECT a page of rows, a few megabytes of memory whatever their number. `progress` hears of rows written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files: dict[str, dict[str, Any]] = {}
    written = 0
    for table in tables(source):
        csv_path, json_path = folder / f"{table.name}.csv", folder / f"{table.name}.jsonl"
        rows = 0
        with _create(csv_path) as csv_file, _create(json_path) as json_file:
            csv_file.write(line(column.name for column in table.columns))
            for row in table.rows():
                csv_file.write(line(cell(column, row[column.name]) for column in table.columns))
                json_file.write(_json(table.columns, row))
                rows += 1
                written += 1
                if written % PROGRESS_EVERY == 0:
                    progress(written)
        for path in (csv_path, json_path):
            files[path.name] = {"rows": rows, "bytes": path.stat().st_size, "sha256": sha256(path)}
    manifest = describe(source, files)
    with _create(folder / "manifest.json") as file:
        json.dump(manifest, file, ensure_ascii=False, indent=2)
        file.write("\n")
    return manifest


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
            "spot_check": source.study.definition.spot_check.model_dump(mode="json"),
            "score": f"mean of rows with part {scale.part}, role test and usable true, each row weight 1",
        },
        "files": files,
        "notes": [
            "CSV: UTF-8, LF, comma. An empty cell is a missing value.",
            "In columns of type text an apostrophe stands before what a spreadsheet would compute; "
            "the .jsonl files hold the same rows without any change.",
            f"The codes by which raters are paid ({', '.join(CODES)}) are left out of the definitions; "
            "the sha256 of a version is that of its definition with them.",
        ],
    }


def without_codes(definition: dict[str, Any]) -> dict[str, Any]:
    """Return a definition without what raters are paid for: an export may be shared while people still rate."""
    crowd = definition.get("crowd", {})
    kept = {name: value for name, value in crowd.items() if name not in CODES}
    if "{code}" not in kept.get("return_url", "{code}"):
        # Pasted whole from the crowd platform: the code is in it.
        kept["return_url"] = urlsplit(kept["return_url"])._replace(path="", query="", fragment="").geturl()
    return {**definition, "crowd": kept}


def line(cells: Iterator[str]) -> str:
    """Return one CSV line; carriage returns are quoted too, which the csv module leaves bare."""
    return ",".join(f'"{text.replace(QUOTE, DOUBLED)}"' if SPECIAL.search(text) else text for text in cells) + "\n"


def _json(columns: tuple[Column, ...], row: dict[str, Any]) -> str:
    values = {column.name: plain(column, row[column.name]) for column in columns}
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")) + "\n"


def _create(path: Path) -> TextIO:
    return open(path, "w", encoding="utf-8", newline="", buffering=BUFFER)


def sha256(path: Path) -> str:
    """Return the hash of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

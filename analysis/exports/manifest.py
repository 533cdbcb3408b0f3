"""manifest.json: the exported data, the rules behind it, and the hash of every file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from analysis.exports.models import Layout
from analysis.exports.source import Source
from analysis.sections.shared import Record
from raters.rating.ratings import TRAPS
from studies.definition.settings.crowd import Crowd
from studies.rules import validity

SCHEMA = 1
CODES = tuple(name for name in Crowd.model_fields if name.endswith("_code"))


class TaskType(Record):
    """The task type, and the version of how its answers are read."""

    name: str
    version: int


class Version(Record):
    """A version of the study; its definition leaves out the completion codes, its hash includes them."""

    number: int
    sha256: str
    definition: dict[str, Any]


class Score(Record):
    """The score, and the part of an answer that it comes from."""

    name: str
    part: str
    low: float
    high: float
    unit: str


class BatchRule(Record):
    """The rule that decides on batches, and the kinds of traps it uses."""

    rule: str
    version: int
    traps: tuple[str, ...]


class Rules(Record):
    """The rules by which answers count, in words or as settings of the study."""

    usable: str
    batch_valid: BatchRule
    rater: str
    expert_review: dict[str, Any]
    coding: dict[str, Any]
    spot_check: dict[str, Any]
    score: str


class ExportedFile(Record):
    """A file of the export; only tables have rows."""

    rows: int | None = None
    bytes: int
    sha256: str


class Manifest(Record):
    """What was exported; `files` by their path in the export. Without a time, so that two exports can be compared."""

    schema_version: int
    app_version: str
    study: str
    title: str
    # The study that it was duplicated from; empty for others.
    copied_from: str
    state: str
    simulated: str
    format: str
    layout: str
    profile: str
    scores_hidden: bool
    preset: str
    task_type: TaskType
    playback: str
    versions: tuple[Version, ...]
    score: Score
    rules: Rules
    files: dict[str, ExportedFile]
    notes: tuple[str, ...]


def describe(source: Source, files: dict[str, ExportedFile]) -> Manifest:
    """Describe an export that consists of these files."""
    study, definition = source.study, source.definition
    protocol, scale = definition.protocol, definition.kind.score
    return Manifest(
        schema_version=SCHEMA,
        app_version=source.app_version,
        study=study.slug,
        title=str(study),
        copied_from=study.copied_from,
        state=study.state,
        simulated=source.simulated.value,
        format=source.format.value,
        layout=source.layout.value,
        profile=source.profile.value,
        scores_hidden=source.is_blind,
        preset=definition.preset,
        task_type=TaskType(name=definition.task_type, version=definition.kind.version),
        playback=protocol.playback,
        versions=tuple(
            Version(number=version.number, sha256=version.sha256, definition=_without_codes(version.definition))
            for version in source.versions
        ),
        score=Score(name=scale.name, part=scale.part, low=scale.low, high=scale.high, unit=scale.unit),
        rules=Rules(
            usable="answered, no repeat, in a batch that was decided, with no active verdict against it",
            batch_valid=BatchRule(
                rule=validity.RULE,
                version=validity.VERSION,
                traps=tuple(TRAPS) if definition.kind.traps else (),
            ),
            rater=definition.kind.rule,
            expert_review=study.definition.review.model_dump(mode="json"),
            coding=study.definition.coding.model_dump(mode="json"),
            spot_check=study.definition.spot_check.model_dump(mode="json"),
            score=f"mean of rows with part {scale.part}, role test and usable true, each row weight 1",
        ),
        files=files,
        notes=_notes(source),
    )


def _notes(source: Source) -> tuple[str, ...]:
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
    if source.without_words:
        lines.append(
            "The words of black-box texts, and the questions about them, are left out: the person who asked for this "
            "export may not change the study."
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
    return tuple(lines)


def _without_codes(definition: Mapping[str, Any]) -> dict[str, Any]:
    """Remove completion codes from a definition: an export may be shared while people still rate."""
    crowd = definition.get("crowd", {})
    public = {name: value for name, value in crowd.items() if name not in CODES}
    if "{code}" not in public.get("return_url", "{code}"):
        # A URL pasted whole from the crowd platform contains the code.
        public["return_url"] = urlsplit(public["return_url"])._replace(path="", query="", fragment="").geturl()
    return {**definition, "crowd": public}

"""What is left out of each table: from published data, and from data with hidden scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from analysis.exports.columns import ExportTable, Row
from analysis.exports.source import Source

# Text columns that researchers wrote or named. Other text, above all from raters and experts, is not published: a new
# column is withheld until it is listed here.
PUBLISHED = {
    "study",
    "clip",
    "clips",
    "against",
    "against_clip",
    "system",
    "voice",
    "text_id",
    "text",
    "dimension",
    "language",
    "box",
    "domain",
    "benchmark",
    "condition",
    "take",
    "takes",
    "group",
    "prompt",
    "choice",
}
# Withheld for texts that black-box systems speak.
SPOKEN = ("text", "prompt")
# Columns that contain or quote an answer.
ANSWERS = {"label", "score", "justification", "note"}
ONLY_SCORES = {"breakdowns"}


def shaped(tables: list[ExportTable], source: Source) -> list[ExportTable]:
    """Return the tables without what this export may not contain."""
    if source.is_blind:
        tables = [blind(table, source) for table in tables if table.name not in ONLY_SCORES]
    if source.is_open:
        tables = [published(table) for table in tables]
    return [without_words(table, source) for table in tables] if source.is_withholding else tables


def blind(table: ExportTable, source: Source) -> ExportTable:
    """Leave out answers, and all rating rows but the scored part: further parts exist only after certain answers."""
    part = source.definition.kind.score.part
    columns = tuple(column for column in table.columns if column.name not in ANSWERS)

    def rows() -> Iterator[Row]:
        return (row for row in table.rows() if table.name != "ratings" or row["part"] == part)

    return replace(table, columns=columns, rows=rows)


def published(table: ExportTable) -> ExportTable:
    """Leave out free text, and reduce times to days (rule D11)."""
    columns = tuple(
        replace(column, kind="day", meaning=f"{column.meaning} The day alone.") if column.kind == "time" else column
        for column in table.columns
        if column.kind != "text" or column.name in PUBLISHED
    )
    return replace(table, columns=columns)


def without_words(table: ExportTable, source: Source) -> ExportTable:
    """Leave out the words of black-box texts, and the questions about them."""
    empty = {column.name: None for column in table.columns if column.name in SPOKEN}

    def rows() -> Iterator[Row]:
        for row in table.rows():
            yield {**row, **empty} if source.keeps_words(row.get("box"), row.get("text_id")) else row

    return replace(table, rows=rows) if empty else table

"""Columns of the export tables, the format of their cells, and codebook.csv, which describes every column."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from operator import itemgetter
from typing import Literal

from analysis.sections.tables import neutral

Kind = Literal["text", "id", "code", "number", "time", "day", "boolean"]
Cell = str | float | datetime | None
# {column: value}; the table's list of columns gives their meaning.
Row = Mapping[str, Cell]
# Rows of a table by column: much faster to write.
Page = Mapping[str, Sequence[Cell]]


@dataclass(frozen=True, slots=True)
class Column:
    """One column. `text` is free text, the only kind that is changed to protect spreadsheets."""

    name: str
    kind: Kind
    meaning: str
    unit: str = ""
    levels: str = ""


@dataclass(slots=True)
class InColumns:
    """Rows built column by column, which is faster; iterating gives rows."""

    pages: Iterator[Page]

    def __iter__(self) -> Iterator[Row]:
        for page in self.pages:
            for cells in zip(*page.values(), strict=True):
                yield dict(zip(page, cells, strict=True))


@dataclass(frozen=True, slots=True)
class ExportTable:
    """A file to write: its columns, and its rows in a fixed order. Rows may have more cells than there are columns.

    `file` is its path inside the export for other tools; a file without `header` has only rows.
    """

    name: str
    columns: tuple[Column, ...]
    rows: Callable[[], Iterable[Row]]
    file: str = ""
    header: bool = True

    def pages(self, size: int) -> Iterator[Page]:
        """Yield pages of rows, with at most `size` rows if they are built one by one."""
        rows = self.rows()
        if isinstance(rows, InColumns):
            yield from rows.pages
            return
        names = [column.name for column in self.columns]
        # One column twice: itemgetter returns a tuple only for several names.
        picked = map(itemgetter(*names, names[0]), rows)
        while some := list(islice(picked, size)):
            yield dict(zip(names, zip(*some, strict=True), strict=False))


def cell(column: Column, value: Cell) -> str:
    """Return a value as its CSV cell; None is an empty cell."""
    if value is None:
        return ""
    if column.kind == "boolean":
        return "true" if value else "false"
    if isinstance(value, datetime):
        return day(value) if column.kind == "day" else moment(value)
    if column.kind == "number" and not isinstance(value, str):
        return number(value)
    return neutral(str(value)) if column.kind == "text" else str(value)


def plain(column: Column, value: Cell) -> Cell:
    """Return a value for JSON: text untouched, numbers in full."""
    if isinstance(value, datetime):
        return day(value) if column.kind == "day" else moment(value)
    return bool(value) if column.kind == "boolean" and value is not None else value


def number(value: float) -> str:
    """Format a number with at most six decimals and no exponent, the same on every machine."""
    if isinstance(value, int):
        return str(value)
    written = f"{value:.6f}".rstrip("0").rstrip(".")
    return "0" if written == "-0" else written


# Formatting a time from these is four times as fast as isoformat.
TWO = [f"{number:02}" for number in range(60)]
THREE = [f"{number:03}" for number in range(1000)]


def moment(value: datetime) -> str:
    """Format a time in UTC, ISO 8601 with milliseconds: 2026-03-02T09:30:00.000Z."""
    utc = value if value.tzinfo is UTC else value.astimezone(UTC)
    time = f"{TWO[utc.hour]}:{TWO[utc.minute]}:{TWO[utc.second]}.{THREE[utc.microsecond // 1000]}Z"
    return f"{utc.year}-{TWO[utc.month]}-{TWO[utc.day]}T{time}"


def day(value: datetime) -> str:
    """Format the day of a time in UTC: 2026-03-02."""
    return value.astimezone(UTC).date().isoformat()


# The groups of a clip, in tables of clips and of ratings.
CLIP_GROUPS = (
    Column("dimension", "text", "Group of texts, as in the manifest."),
    Column("language", "text", "Language of the clip."),
    Column("box", "text", "Whether the system is open to inspection.", levels="white|black"),
    Column("domain", "text", "Kind of system, as in the manifest.", levels="human|commercial|open"),
    Column("benchmark", "text", "Benchmark that the text is from, as in the manifest."),
    Column("condition", "text", "How the voice was made, as in the manifest."),
    Column("take", "text", "n-th synthesis of one text by one voice."),
)
CODEBOOK = (
    Column("table", "id", "File that the column is in."),
    Column("column", "id", "Name of the column."),
    Column("type", "code", "What it holds.", levels="text|id|code|number|time|day|boolean"),
    Column("unit", "id", "Unit of a number."),
    Column("levels", "id", "Values it may take, joined by |."),
    Column("missing", "id", "How a missing value is written."),
    Column("meaning", "id", "What it means."),
)


def codebook(tables: Sequence[ExportTable]) -> ExportTable:
    """Describe these tables and the codebook itself."""

    def rows() -> Iterator[Row]:
        for name, columns in [*((table.name, table.columns) for table in tables), ("codebook", CODEBOOK)]:
            for column in columns:
                yield {
                    "table": name,
                    "column": column.name,
                    "type": column.kind,
                    "unit": column.unit,
                    "levels": "true|false" if column.kind == "boolean" else column.levels,
                    "missing": "empty",
                    "meaning": column.meaning,
                }

    return ExportTable("codebook", CODEBOOK, rows)

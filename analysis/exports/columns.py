"""What the columns of a table hold, how a cell is written, and codebook.csv, which says so for every column."""

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
# {column: value}; what a column holds is said where the table's columns are.
Row = Mapping[str, Cell]
# Some rows of a table by column, which costs far less to write.
Page = Mapping[str, Sequence[Cell]]


@dataclass(frozen=True, slots=True)
class Column:
    """One column: `text` is what people wrote, and is the only kind that is ever altered for spreadsheets."""

    name: str
    kind: Kind
    meaning: str
    unit: str = ""
    levels: str = ""


@dataclass(slots=True)
class InColumns:
    """Rows that are made a column at a time, which costs less; whoever goes over them gets rows."""

    pages: Iterator[Page]

    def __iter__(self) -> Iterator[Row]:
        for page in self.pages:
            for cells in zip(*page.values(), strict=True):
                yield dict(zip(page, cells, strict=True))


@dataclass(frozen=True, slots=True)
class ExportTable:
    """A file to be: its columns, and its rows in a fixed order, which may hold more than the columns.

    `file` is its path inside the export where another tool wants one; a file without `header` has rows alone.
    """

    name: str
    columns: tuple[Column, ...]
    rows: Callable[[], Iterable[Row]]
    file: str = ""
    header: bool = True

    def pages(self, size: int) -> Iterator[Page]:
        """Yield pages of rows, of so many at most where rows are made one by one."""
        rows = self.rows()
        if isinstance(rows, InColumns):
            yield from rows.pages
            return
        names = [column.name for column in self.columns]
        # A column twice, so that one alone comes as a tuple, too.
        picked = map(itemgetter(*names, names[0]), rows)
        while some := list(islice(picked, size)):
            yield dict(zip(names, zip(*some, strict=True), strict=False))


def cell(column: Column, value: Cell) -> str:
    """Return a value as its CSV cell; nothing is an empty cell."""
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
    """Write a number with at most six decimals and no exponent, the same on every machine."""
    if isinstance(value, int):
        return str(value)
    written = f"{value:.6f}".rstrip("0").rstrip(".")
    return "0" if written == "-0" else written


# Put together from these, a time is written four times as fast as by isoformat.
TWO = [f"{number:02}" for number in range(60)]
THREE = [f"{number:03}" for number in range(1000)]


def moment(value: datetime) -> str:
    """Write a time in UTC, ISO 8601 with milliseconds: 2026-03-02T09:30:00.000Z."""
    utc = value if value.tzinfo is UTC else value.astimezone(UTC)
    time = f"{TWO[utc.hour]}:{TWO[utc.minute]}:{TWO[utc.second]}.{THREE[utc.microsecond // 1000]}Z"
    return f"{utc.year}-{TWO[utc.month]}-{TWO[utc.day]}T{time}"


def day(value: datetime) -> str:
    """Write the day of a time in UTC: 2026-03-02."""
    return value.astimezone(UTC).date().isoformat()


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

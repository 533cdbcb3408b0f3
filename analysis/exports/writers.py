"""Write rows to a file: CSV for people and spreadsheets, JSON lines without any loss, Parquet with types."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime
from math import isfinite
from pathlib import Path
from typing import Protocol, TextIO

from analysis.exports.columns import Cell, Column, Row, cell, plain

BUFFER = 1 << 20
QUOTE, DOUBLED = '"', '""'
SPECIAL = re.compile(r'[",\r\n]')
JSON = json.JSONEncoder(ensure_ascii=False)
# Rows of a file that are in memory at once.
GROUP = 20_000
# Values of a column that are remembered, if they are of these types: 1, 1.0 and True would be one.
MOST_REMEMBERED = 5_000
REPEATED = frozenset({str, bool, type(None)})
UNQUOTED = frozenset({int, float, datetime})


class Writer(Protocol):
    """A file that rows are added to, one after the other."""

    def add(self, row: Row) -> None: ...

    def close(self) -> None: ...


class _Columns(ABC):
    """Rows that wait until there are enough of them to be written column by column, which costs far less."""

    def __init__(self, columns: tuple[Column, ...]) -> None:
        self._columns = columns
        self._waiting: list[Row] = []

    def add(self, row: Row) -> None:
        self._waiting.append(row)
        if len(self._waiting) == GROUP:
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            self._write([[row[column.name] for row in self._waiting] for column in self._columns])
            self._waiting.clear()

    @abstractmethod
    def _write(self, values: list[list[Cell]]) -> None:
        """Write the waiting rows, given by column."""


class _Texts(_Columns):
    """A text file with a line a row; a value that comes again in its column is written as before."""

    edges = "", ""

    def __init__(self, path: Path, columns: tuple[Column, ...]) -> None:
        super().__init__(columns)
        self._file = create(path)
        self._written = [Remembered(self._cell(column)) for column in columns]

    def close(self) -> None:
        self._flush()
        self._file.close()

    def _write(self, values: list[list[Cell]]) -> None:
        cells = [written.of(column) for written, column in zip(self._written, values, strict=True)]
        first, last = self.edges
        self._file.writelines(f"{first}{','.join(row)}{last}\n" for row in zip(*cells, strict=True))

    @abstractmethod
    def _cell(self, column: Column) -> Callable[[Cell], str]:
        """Return how values of a column are written."""


class Csv(_Texts):
    """UTF-8, LF, comma; text that a spreadsheet would compute has an apostrophe before it."""

    def __init__(self, path: Path, columns: tuple[Column, ...], *, header: bool = True) -> None:
        super().__init__(path, columns)
        if header:
            self._file.write(line(column.name for column in columns))

    def _cell(self, column: Column) -> Callable[[Cell], str]:
        def write(value: Cell) -> str:
            written = cell(column, value)
            return written if value.__class__ in UNQUOTED else quoted(written)

        return write


class JsonLines(_Texts):
    """One object a line, text untouched."""

    edges = "{", "}"

    def _cell(self, column: Column) -> Callable[[Cell], str]:
        name = JSON.encode(column.name)

        def write(value: Cell) -> str:
            is_plain = value.__class__ is float and isfinite(value) and column.kind == "number"
            return f"{name}:{value!r}" if is_plain else f"{name}:{JSON.encode(plain(column, value))}"

        return write


class Remembered(dict[Cell, str]):
    """What values of a column are written as, by value: most come again and again. Numbers and times do not."""

    def __init__(self, write: Callable[[Cell], str]) -> None:
        self.write = write

    def of(self, values: Sequence[Cell]) -> list[str]:
        """Return what these values are written as."""
        return [self[value] if value.__class__ in REPEATED else self.write(value) for value in values]

    def __missing__(self, value: Cell) -> str:
        if len(self) >= MOST_REMEMBERED:
            self.clear()
        self[value] = self.write(value)
        return self[value]


class Parquet(_Columns):
    """Typed columns, compressed with zstd, in groups of rows; text untouched, since nothing computes it.

    The library is loaded only here: the web process never needs it.
    """

    def __init__(self, path: Path, columns: tuple[Column, ...]) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        kinds = {
            "number": pa.float64(),
            "boolean": pa.bool_(),
            "time": pa.timestamp("ms", tz="UTC"),
            "day": pa.date32(),
        }
        super().__init__(columns)
        self._schema = pa.schema(
            [pa.field(each.name, kinds.get(each.kind, pa.string()), metadata=_about(each)) for each in columns]
        )
        self._array = pa.array
        self._table = pa.Table
        self._file = pq.ParquetWriter(path, self._schema, compression="zstd")

    def close(self) -> None:
        self._flush()
        self._file.close()

    def _write(self, values: list[list[Cell]]) -> None:
        arrays = [
            self._array([_typed(column, value) for value in each], type=field.type)
            for column, each, field in zip(self._columns, values, self._schema, strict=True)
        ]
        self._file.write_table(self._table.from_arrays(arrays, schema=self._schema))


def _typed(column: Column, value: Cell) -> Cell | date:
    """Return a value as its Arrow type wants it; times to the millisecond, as in the CSV."""
    if value is None:
        return None
    if column.kind == "boolean":
        return bool(value)
    if isinstance(value, datetime):
        utc = value.astimezone(UTC)
        return utc.date() if column.kind == "day" else utc.replace(microsecond=utc.microsecond // 1000 * 1000)
    return float(value) if column.kind == "number" else str(value)


def _about(column: Column) -> dict[str, str]:
    about = {"meaning": column.meaning, "unit": column.unit, "levels": column.levels}
    return {name: text for name, text in about.items() if text}


def line(cells: Iterable[str]) -> str:
    """Return one CSV line; carriage returns are quoted too, which the csv module leaves bare."""
    return ",".join(map(quoted, cells)) + "\n"


def quoted(text: str) -> str:
    """Return a CSV cell, in quotes where it needs them."""
    return f'"{text.replace(QUOTE, DOUBLED)}"' if SPECIAL.search(text) else text


def create(path: Path) -> TextIO:
    """Open a text file for writing, and make its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return open(path, "w", encoding="utf-8", newline="", buffering=BUFFER)

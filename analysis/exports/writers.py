"""Write rows to a file: CSV for people and spreadsheets, JSON lines without any loss, Parquet with types."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Protocol, TextIO

from analysis.exports.columns import Cell, Column, Row, cell, plain

BUFFER = 1 << 20
QUOTE, DOUBLED = '"', '""'
SPECIAL = re.compile(r'[",\r\n]')
# Rows of a Parquet file that are in memory at once.
GROUP = 20_000


class Writer(Protocol):
    """A file that rows are added to, one after the other."""

    def add(self, row: Row) -> None: ...

    def close(self) -> None: ...


class Csv:
    """UTF-8, LF, comma; text that a spreadsheet would compute has an apostrophe before it."""

    def __init__(self, path: Path, columns: tuple[Column, ...], *, header: bool = True) -> None:
        self._columns = columns
        self._file = create(path)
        if header:
            self._file.write(line(column.name for column in columns))

    def add(self, row: Row) -> None:
        self._file.write(line(cell(column, row[column.name]) for column in self._columns))

    def close(self) -> None:
        self._file.close()


class JsonLines:
    """One object a line, text untouched."""

    def __init__(self, path: Path, columns: tuple[Column, ...]) -> None:
        self._columns = columns
        self._file = create(path)

    def add(self, row: Row) -> None:
        values = {column.name: plain(column, row[column.name]) for column in self._columns}
        self._file.write(json.dumps(values, ensure_ascii=False, separators=(",", ":")) + "\n")

    def close(self) -> None:
        self._file.close()


class Parquet:
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
        self._columns = columns
        self._schema = pa.schema(
            [pa.field(each.name, kinds.get(each.kind, pa.string()), metadata=_about(each)) for each in columns]
        )
        self._array = pa.array
        self._table = pa.Table
        self._file = pq.ParquetWriter(path, self._schema, compression="zstd")
        self._waiting: list[Row] = []

    def add(self, row: Row) -> None:
        self._waiting.append(row)
        if len(self._waiting) == GROUP:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._file.close()

    def _flush(self) -> None:
        if not self._waiting:
            return
        arrays = [
            self._array([_typed(column, row[column.name]) for row in self._waiting], type=field.type)
            for column, field in zip(self._columns, self._schema, strict=True)
        ]
        self._file.write_table(self._table.from_arrays(arrays, schema=self._schema))
        self._waiting.clear()


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
    return ",".join(f'"{text.replace(QUOTE, DOUBLED)}"' if SPECIAL.search(text) else text for text in cells) + "\n"


def create(path: Path) -> TextIO:
    """Open a text file for writing, and make its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return open(path, "w", encoding="utf-8", newline="", buffering=BUFFER)

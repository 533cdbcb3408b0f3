"""Write rows to a file: CSV for people and spreadsheets, lossless JSON lines, typed Parquet."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TextIO, cast

from analysis.exports.columns import Cell, Column, Page, cell, day, moment, plain

BUFFER = 1 << 20
QUOTE, DOUBLED = '"', '""'
SPECIAL = re.compile(r'[",\r\n]')
JSON = json.JSONEncoder(ensure_ascii=False)
# Rows per group of a Parquet file; a group is held in memory.
GROUP = 20_000
# Cached values per column.
MOST_REMEMBERED = 20_000
TIMES = ("time", "day")
NOTHING = type(None)
FLOATS = {float, NOTHING}


class Writer(Protocol):
    """A file that takes pages of rows."""

    def add(self, page: Page) -> None: ...

    def close(self) -> None: ...


class Texts:
    """A CSV file (UTF-8, LF, comma); with `lines` also JSON lines, one object per line.

    In CSV, an apostrophe precedes text that a spreadsheet would compute.
    """

    def __init__(
        self,
        columns: tuple[Column, ...],
        csv: Path,
        lines: Path | None = None,
        *,
        header: bool = True,
        has_mark: bool = False,
    ) -> None:
        self._columns = columns
        self._csv, self._lines = create(csv), create(lines) if lines else None
        if has_mark:
            # Excel needs a byte order mark to read UTF-8.
            self._csv.write("\ufeff")
        self._cells = [_csv_cells(column) for column in columns]
        self._members = [_json_members(column) for column in columns]
        if header:
            self._csv.write(line(column.name for column in columns))

    def add(self, page: Page) -> None:
        values = [Values.of(_written_times(column, page[column.name])) for column in self._columns]
        self._csv.write("\n".join(_joined(self._cells, values)) + "\n")
        if self._lines:
            self._lines.write("{" + "}\n{".join(_joined(self._members, values)) + "}\n")

    def close(self) -> None:
        self._csv.close()
        if self._lines:
            self._lines.close()


class Values(NamedTuple):
    """Values of a column, their types, and whether all are equal and written alike."""

    all: Sequence[Cell]
    types: set[type]
    are_same: bool

    @classmethod
    def of(cls, values: Sequence[Cell]) -> Values:
        types = set(map(type, values))
        # 0.0 equals -0.0.
        are_same = len(types) == 1 and float not in types and values.count(values[0]) == len(values)
        return cls(values, types, are_same)

    def first(self) -> Values:
        return self._replace(all=self.all[:1])


# Writes the values of a column.
Cells = Callable[[Values], Iterable[str]]


def _joined(write: Sequence[Cells], columns: Sequence[Values]) -> Iterator[str]:
    cells = (
        list(each(values.first())) * len(values.all) if values.are_same else each(values)
        for each, values in zip(write, columns, strict=True)
    )
    return map(",".join, zip(*cells, strict=True))


def _written_times(column: Column, values: Sequence[Cell]) -> Sequence[Cell]:
    """Format times once: they are the same in CSV and JSON."""
    if column.kind not in TIMES:
        return values
    write = day if column.kind == "day" else moment
    return [write(value) if value.__class__ is datetime else value for value in values]


def _csv_cells(column: Column) -> Cells:
    if column.kind in TIMES:
        return lambda times: ["" if time is None else str(time) for time in times.all]
    if column.kind == "number":
        # Equal numbers are written alike in CSV.
        return Remembered(lambda value: cell(column, value), {int, float, NOTHING}).of
    return Remembered(lambda value: quoted(cell(column, value)), _remembered(column)).of


def _json_members(column: Column) -> Cells:
    name = JSON.encode(column.name)

    def write(value: Cell) -> str:
        if value.__class__ is float and isfinite(value) and column.kind == "number":
            return f"{name}:{value!r}"
        return f"{name}:{JSON.encode(plain(column, value))}"

    if column.kind in TIMES:
        return lambda times: [f'{name}:"{time}"' if time is not None else f"{name}:null" for time in times.all]
    remembered = Remembered(write, _remembered(column))

    def numbers(values: Values) -> Iterable[str]:
        # Floats mostly differ, so caching doesn't pay; a finite sum means that all are finite.
        if FLOATS.issuperset(values.types) and isfinite(sum(filter(None, cast("Sequence[float | None]", values.all)))):
            return [f"{name}:null" if value is None else f"{name}:{value!r}" for value in values.all]
        return remembered.of(values)

    return numbers if column.kind == "number" else remembered.of


def _remembered(column: Column) -> set[type]:
    """Return types that can share a cache: 1, 1.0 and True are equal keys but may be written differently."""
    by_kind: dict[str, set[type]] = {"number": {int, NOTHING}, "boolean": {int, bool, NOTHING}}
    return by_kind.get(column.kind, {str, bool, NOTHING})


class Remembered(dict[Cell, str]):
    """Cache of written values, as most repeat. Only for values of these types."""

    def __init__(self, write: Callable[[Cell], str], types: set[type]) -> None:
        self.write, self.types = write, types

    def of(self, values: Values) -> Iterable[str]:
        """Return these values as written."""
        return map(self.__getitem__ if self.types.issuperset(values.types) else self.write, values.all)

    def __missing__(self, value: Cell) -> str:
        if len(self) >= MOST_REMEMBERED:
            self.clear()
        self[value] = self.write(value)
        return self[value]


class Parquet:
    """A Parquet file: typed columns, compressed with zstd, in groups of rows. Text is unchanged: nothing computes it.

    Imports pyarrow only here: the web process never needs it.
    """

    def __init__(self, columns: tuple[Column, ...], path: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        kinds = {
            "number": pa.float64(),
            "boolean": pa.bool_(),
            "time": pa.timestamp("ms", tz="UTC"),
            "day": pa.date32(),
        }
        self._columns = columns
        self._waiting: list[list[Cell]] = [[] for _ in columns]
        self._schema = pa.schema(
            [pa.field(each.name, kinds.get(each.kind, pa.string()), metadata=_about(each)) for each in columns]
        )
        self._arrow = pa
        self._file = pq.ParquetWriter(path, self._schema, compression="zstd")

    def add(self, page: Page) -> None:
        for column, waiting in zip(self._columns, self._waiting, strict=True):
            waiting += page[column.name]
        while len(self._waiting[0]) >= GROUP:
            self._write()

    def close(self) -> None:
        if self._waiting[0]:
            self._write()
        self._file.close()

    def _write(self) -> None:
        arrays = [
            self._array(column, waiting[:GROUP], field.type)
            for column, waiting, field in zip(self._columns, self._waiting, self._schema, strict=True)
        ]
        for waiting in self._waiting:
            del waiting[:GROUP]
        self._file.write_table(self._arrow.Table.from_arrays(arrays, schema=self._schema))

    def _array(self, column: Column, values: list[Cell], kind: Any) -> Any:
        if column.kind == "time":
            # Cut to milliseconds, as in the CSV.
            return self._arrow.array(values, self._arrow.timestamp("us", tz="UTC")).cast(kind, safe=False)
        if READY.get(column.kind, {str, NOTHING}).issuperset(map(type, values)):
            return self._arrow.array(values, kind)
        return self._arrow.array([_typed(column, value) for value in values], kind)


# Types that Arrow accepts unconverted, by kind of column; str for all other kinds.
READY: dict[str, set[type]] = {"boolean": {bool, NOTHING}, "number": {int, float, NOTHING}, "day": set()}


def _typed(column: Column, value: Cell) -> Cell | date:
    if value is None:
        return None
    if column.kind == "boolean":
        return bool(value)
    if isinstance(value, datetime):
        return value.astimezone(UTC).date()
    return float(value) if column.kind == "number" else str(value)


def _about(column: Column) -> dict[str, str]:
    about = {"meaning": column.meaning, "unit": column.unit, "levels": column.levels}
    return {name: text for name, text in about.items() if text}


def line(cells: Iterable[str]) -> str:
    """Return one CSV line. Quotes carriage returns too, unlike the csv module."""
    return ",".join(map(quoted, cells)) + "\n"


def quoted(text: str) -> str:
    """Return a CSV cell, quoted if needed."""
    return f'"{text.replace(QUOTE, DOUBLED)}"' if SPECIAL.search(text) else text


def create(path: Path) -> TextIO:
    """Open a text file for writing, and create its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return open(path, "w", encoding="utf-8", newline="", buffering=BUFFER)

"""What a column holds, and how a cell is written: the codebook is made of these."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from analysis.sections.tables import neutral

Kind = Literal["text", "id", "code", "number", "time", "day", "boolean"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column: `text` is what people wrote, and is the only kind that is ever altered for spreadsheets."""

    name: str
    kind: Kind
    meaning: str
    unit: str = ""
    levels: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A file to be: its columns, and its rows as {column: value} in a fixed order.

    `file` is its path inside the export where another tool wants one; a file without `header` has rows alone.
    """

    name: str
    columns: tuple[Column, ...]
    rows: Callable[[], Iterator[dict[str, Any]]]
    file: str = ""
    header: bool = True


def cell(column: Column, value: Any) -> str:
    """Return a value as its CSV cell; nothing is an empty cell."""
    if value is None:
        return ""
    if column.kind == "boolean":
        return "true" if value else "false"
    if column.kind == "number":
        return number(value)
    if column.kind == "time":
        return moment(value)
    if column.kind == "day":
        return day(value)
    return neutral(str(value)) if column.kind == "text" else str(value)


def plain(column: Column, value: Any) -> Any:
    """Return a value for JSON: text untouched, numbers in full."""
    if column.kind == "time" and value is not None:
        return moment(value)
    if column.kind == "day" and value is not None:
        return day(value)
    if column.kind == "boolean" and value is not None:
        return bool(value)
    return value


def number(value: float) -> str:
    """Write a number with at most six decimals and no exponent, the same on every machine."""
    if isinstance(value, int):
        return str(value)
    written = f"{value:.6f}".rstrip("0").rstrip(".")
    return "0" if written == "-0" else written


def moment(value: datetime) -> str:
    """Write a time in UTC, ISO 8601 with milliseconds: 2026-03-02T09:30:00.000Z."""
    return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def day(value: datetime) -> str:
    """Write the day of a time in UTC: 2026-03-02."""
    return value.astimezone(UTC).date().isoformat()

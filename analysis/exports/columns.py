"""What a column holds, and how a cell is written: the codebook is made of these."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

Kind = Literal["text", "id", "code", "number", "time", "boolean"]

# Characters at which a spreadsheet begins to compute, and those that it skips before them.
FORMULA = frozenset("=+-@")
CONTROLS = frozenset("\t\r\n\0")


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
    """A file to be: its columns, and its rows as {column: value} in a fixed order."""

    name: str
    columns: tuple[Column, ...]
    rows: Callable[[], Iterator[dict[str, Any]]]


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
    return neutral(str(value)) if column.kind == "text" else str(value)


def plain(column: Column, value: Any) -> Any:
    """Return a value for JSON: text untouched, numbers in full."""
    if column.kind == "time" and value is not None:
        return moment(value)
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


def neutral(text: str) -> str:
    """Put an apostrophe before text that a spreadsheet would compute (OWASP: CSV injection), full-width signs too."""
    if not text or text[0].isalnum():
        return text
    seen = text.lstrip().lstrip("\0\ufeff\u200b").lstrip()
    begins = unicodedata.normalize("NFKC", seen[:1])
    return f"'{text}" if text[:1] in CONTROLS or begins[:1] in FORMULA else text

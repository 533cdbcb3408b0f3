"""The report of an import for a page, and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.text.languages import translate
from core.text.words import restored
from studies.imports.ingest import table

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise as StrOrPromise

# So many rows or files of a group are named.
NAMED = 5
COLUMNS = ("table", "row", "file", "column", "reason")
LISTS = {
    "manifest": gettext_lazy("Manifest"),
    "questions": gettext_lazy("Questions"),
    "golden": gettext_lazy("Golden questions"),
}


@dataclass(frozen=True, slots=True)
class Group:
    """What is wrong in the same way: why, in which column, and in which rows and files.

    `list` is the name of the list that the rows are of; None if all rows of the report are of the manifest.
    """

    reason: str
    column: str
    warning: bool
    left_out: bool
    list: StrOrPromise | None
    rows: str
    files: str


def shown(report: Iterable[Mapping[str, Any]]) -> list[Group]:
    """Return the report with the lines that differ in row and file alone as one group, in the order of its lines."""
    groups: dict[tuple[str, str, bool, bool, str], list[Mapping[str, Any]]] = {}
    for line in report:
        key = (
            reason(line),
            line.get("column") or "",
            bool(line.get("warning")),
            bool(line.get("left_out")),
            line.get("table", ""),
        )
        groups.setdefault(key, []).append(line)
    several = any(name in {"questions", "golden"} for *_rest, name in groups)
    return [
        Group(
            why,
            column,
            warning,
            left_out,
            LISTS.get(name, "") if several else None,
            _named([str(line["row"]) for line in lines if line.get("row")]),
            _named([str(line["file"]) for line in lines if line.get("file")]),
        )
        for (why, column, warning, left_out, name), lines in groups.items()
    ]


def reason(line: Mapping[str, Any]) -> str:
    """Return the reason of a stored line, translated where its sentence was stored with its values."""
    return translate(restored(line["sentence"])) if line.get("sentence") else str(line["reason"])


def _named(names: Sequence[str]) -> str:
    """Return the first few names, each once, and how many more there are."""
    distinct = list(dict.fromkeys(names))
    listed, more = ", ".join(distinct[:NAMED]), len(distinct) - NAMED
    return listed if more <= 0 else _("{names} and {number} more").format(names=listed, number=more)


def as_csv(report: Iterable[Mapping[str, Any]]) -> str:
    """Return one line for each refusal; a quote is put before text that a spreadsheet would run as a formula."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for entry in report:
        cells = {**entry, "reason": reason(entry)}
        writer.writerow([harmless(cells.get(column)) for column in COLUMNS])
    return out.getvalue()


def harmless(value: Any) -> Any:
    """Return a value for a cell, quoted where a spreadsheet would run it as a formula."""
    return table.quoted(value) if isinstance(value, str) else "" if value is None else value

"""The report of an import as a spreadsheet reads it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Any

COLUMNS = ("row", "file", "column", "reason")


def as_csv(report: Iterable[Mapping[str, Any]]) -> str:
    """Return one line for each refusal; a text that a spreadsheet would run as a formula gets a quote in front."""
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(COLUMNS)
    for entry in report:
        table.writerow([_harmless(entry.get(column)) for column in COLUMNS])
    return out.getvalue()


def _harmless(value: Any) -> Any:
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return "'" + value
    return "" if value is None else value

"""The report of an import for a page, and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

COLUMNS = ("table", "row", "file", "column", "reason")
LISTS = {"manifest": _("Manifest"), "questions": _("Questions"), "golden": _("Golden questions")}


def shown(report: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the lines with the name of the list that each row is of, unless all are of the manifest."""
    lines = [{**entry, "list": LISTS.get(entry.get("table", ""), "")} for entry in report]
    several = any(line.get("table") in {"questions", "golden"} for line in lines)
    return lines if several else [{**line, "list": None} for line in lines]


def as_csv(report: Iterable[Mapping[str, Any]]) -> str:
    """Return one line for each refusal; a quote is put before text that a spreadsheet would run as a formula."""
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

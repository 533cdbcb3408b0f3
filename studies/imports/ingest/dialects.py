"""Read the cells of a table of any dialect: CSV, TSV, pipes, JSON lines, and lists like Kaldi's wav.scp."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

SEPARATORS = ",;\t|"
# Lines by which the separator is chosen.
LINES = 50
# An id, and a path or a command that ends with one.
SCP = re.compile(r"\S+\s+\S.*\.[A-Za-z0-9]{2,5}\s*\|?\s*")


def cells_of(text: Iterable[str], known: Collection[str]) -> Iterator[list[str]]:
    """Return the cells of each row, the header among them if there is one; `known` are names of columns."""
    rest = iter(text)
    head = list(islice(rest, LINES))
    filled = [line.rstrip("\r\n") for line in head if line.strip()]
    lines = chain(head, rest)
    if filled and filled[0].lstrip().startswith("{"):
        return _json(lines)
    counts = {mark: _score(filled, mark, known) for mark in SEPARATORS}
    separator = max(SEPARATORS, key=lambda mark: counts[mark])
    if filled and not any(counts[separator]) and all(map(SCP.fullmatch, filled)):
        return (line.split(maxsplit=1) for line in lines)
    if separator in "\t|":
        whole = list(lines)
        return csv.reader(whole, delimiter=separator, strict=True, quoting=_quoting(whole, separator))
    return csv.reader(lines, delimiter=separator, strict=True)


def _score(lines: Sequence[str], mark: str, known: Collection[str]) -> tuple[int, float, int]:
    """Return the known columns of the first line, the share of lines with as many marks, and the marks."""
    first = lines[0] if lines else ""
    count = first.count(mark)
    named = sum(cell.strip().strip('"').strip().lower() in known or _plain(cell) in known for cell in first.split(mark))
    alike = sum(line.count(mark) == count for line in lines) / max(1, len(lines)) if count else 0.0
    return named if count else 0, alike, count


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.lower())


def _quoting(lines: Sequence[str], separator: str) -> Any:
    """Return whether cells are quoted: not where that fails, or joins lines that have equal numbers of cells alone."""
    try:
        widths = {len(row) for row in csv.reader(lines, delimiter=separator, strict=True) if row}
    except csv.Error:
        return csv.QUOTE_NONE
    plain = {line.count(separator) for line in lines if line.strip()}
    return csv.QUOTE_NONE if len(widths) > 1 and len(plain) == 1 else csv.QUOTE_MINIMAL


def _json(lines: Iterable[str]) -> Iterator[list[str]]:
    """Yield the names of all keys, then the values of each object."""
    rows: list[dict[str, Any]] = []
    for line in lines:
        if line.strip():
            row = json.loads(line)
            if not isinstance(row, dict):
                raise ValueError("each line has to be an object")
            rows.append(row)
    names = list(dict.fromkeys(name for row in rows for name in row))
    yield names
    for row in rows:
        yield ["" if row.get(name) is None else str(row[name]) for name in names]

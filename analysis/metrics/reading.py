"""A table of metrics: rows of `clip,metric,value`, or `clip` and a column for each metric.

Further columns are kept: a column with the same value in all rows describes the metric (a judge's hashes), others
describe the clip. `error` and `message` say why a value is missing.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.web import client_input
from studies.imports.ingest import manifest, table
from studies.imports.ingest.problems import InvalidInput, shown

REQUIRED = ("clip", "metric", "value")
# The columns that define a metric's numbers; the same in all its rows.
MEANT = ("direction", "low", "high")
WHY = ("error", "message")
DIRECTIONS = ("higher", "lower")
# A judge's human-likeness score; its scale is known.
LIKENESS = "hls:"
MAX_ROWS = 200_000
LONGEST_NAME = 100
KIND = table.TableKind("metrics", "The file", dict.fromkeys((*REQUIRED, *MEANT), 1000), REQUIRED)
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,3})?")


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem in one column of a row (numbered as in a spreadsheet; 0: the whole file)."""

    row: int
    column: str
    reason: str


@dataclass(frozen=True, slots=True)
class Measured:
    """One clip's value, or why it has none; `detail` has the row's further cells."""

    clip: int
    value: float | None
    failure: str
    detail: Mapping[str, Any]


@dataclass(slots=True)
class MetricRows:
    """All rows of one metric; `meant` has its direction, low and high as given in the file."""

    name: str
    meant: dict[str, str] = field(default_factory=dict)
    rows: dict[int, tuple[int, Measured]] = field(default_factory=dict)
    provenance: dict[str, Any] = field(default_factory=dict)

    @property
    def values(self) -> list[Measured]:
        return [measured for _number, measured in self.rows.values()]

    def number(self, column: str) -> float | None:
        return float(self.meant[column]) if self.meant.get(column) else None


@dataclass(frozen=True, slots=True)
class Read:
    """The metrics of a file by name, and its problems; with any problem, the metrics must not be used."""

    metrics: Mapping[str, MetricRows]
    problems: tuple[Problem, ...]


def read(content: bytes, clips: Mapping[str, int]) -> Read:
    """Read a file about `clips` {file as in the manifest: key}. Every fault becomes a problem, not an exception."""
    reader = _Reader(clips)
    try:
        for number, cells in _rows(content):
            reader.take(number, cells)
        if not reader.metrics and not reader.problems:
            raise InvalidInput("The file has no rows below its header.")
    except InvalidInput as error:
        reader.problems.append(Problem(0, "", str(error)))
    for metric in reader.metrics.values():
        _share(metric)
    return Read(reader.metrics, tuple(reader.problems))


class _Reader:
    """Collects rows by metric."""

    def __init__(self, clips: Mapping[str, int]) -> None:
        self.clips = clips
        self.metrics: dict[str, MetricRows] = {}
        self.problems: list[Problem] = []

    def take(self, number: int, cells: Mapping[str, str]) -> None:
        wrong: list[Problem] = []
        clip = self._clip(cells["clip"])
        if clip is None:
            message = f"No clip of this study is called “{shown(cells['clip'])}”." if cells["clip"] else "It is empty."
            wrong.append(Problem(number, "clip", message))
        name, value = cells["metric"], cells["value"]
        if not 0 < len(name) <= LONGEST_NAME:
            wrong.append(Problem(number, "metric", f"Give the metric a name of at most {LONGEST_NAME} characters."))
        if value and not NUMBER.fullmatch(value):
            wrong.append(
                Problem(number, "value", f"“{shown(value)}” is no number. Write it like 3.25, or leave it out.")
            )
        metric = self.metrics.get(name) or MetricRows(name)
        wrong += self._meaning(number, metric, cells)
        if clip is not None and clip in metric.rows:
            first = metric.rows[clip][0]
            wrong.append(Problem(number, "clip", f"The clip has a value of {name} in row {first} already."))
        self.problems += wrong
        if not wrong and clip is not None:
            self.metrics[name] = metric
            why = cells.get("message") or cells.get("error") or "no value in the file"
            detail = {
                column: _cell(cell) for column, cell in cells.items() if cell and column not in (*REQUIRED, *MEANT)
            }
            number_of = float(value) if value else None
            metric.rows[clip] = number, Measured(clip, number_of, "" if value else why, detail)

    def _clip(self, name: str) -> int | None:
        """Find a clip, also with the apostrophe that clips.csv puts before names that a spreadsheet would compute."""
        clip = self.clips.get(name)
        return self.clips.get(name[1:]) if clip is None and name.startswith("'") else clip

    def _meaning(self, number: int, metric: MetricRows, cells: Mapping[str, str]) -> Iterator[Problem]:
        for column in MEANT:
            cell = cells.get(column, "").lower()
            if not cell:
                continue
            if column == "direction" and cell not in DIRECTIONS:
                yield Problem(number, column, f"“{shown(cell)}” is no direction: higher or lower (is better).")
            elif column != "direction" and not NUMBER.fullmatch(cell):
                yield Problem(number, column, f"“{shown(cell)}” is no number.")
            elif metric.meant.setdefault(column, cell) != cell:
                before = metric.meant[column]
                yield Problem(number, column, f"The metric {metric.name} has {before} in an earlier row: one only.")


def _rows(content: bytes) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield each row's number and its stripped cells by column; raises `InvalidInput`."""
    # If the encoding is guessed wrong, names match no clip and are reported as unknown.
    text, _encoding = table.decode(content, KIND)
    records = table.records(io.StringIO(text.lstrip(), newline=""), KIND)
    header = [cell.strip() for cell in next(records, (1, []))[1]]
    columns = [name.lower() for name in header]
    is_wide = "clip" in columns and not {"metric", "value"} & set(columns)
    _check([*columns, "metric", "value"] if is_wide else columns)
    rows: list[tuple[int, dict[str, str]]] = []
    for number, cells in records:
        if number > MAX_ROWS + 1:
            raise InvalidInput(f"The file has more than {MAX_ROWS:,} rows. Split it into several.")
        if any(cell.strip() for cell in cells):
            if len(cells) > len(header):
                raise InvalidInput(f"Row {number} has more cells than the header. Quote values that hold a separator.")
            padded = [*cells, *[""] * (len(header) - len(cells))]
            rows.append((number, {name: cell.strip() for name, cell in zip(columns, padded, strict=True)}))
    yield from _long(header, rows) if is_wide else rows


def _long(header: list[str], rows: list[tuple[int, dict[str, str]]]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield a row for each number of a wide table; its columns that hold words belong to the clip."""
    about = {"clip", *MEANT, *WHY, *manifest.COLUMNS}
    metrics = [name for name in header if name.lower() not in about and _is_metric(name.lower(), rows)]
    if not metrics:
        raise InvalidInput(
            "The file has neither the columns metric and value nor a column of numbers. Write one row for each clip "
            "and metric (clip, metric, value), or a column for each metric."
        )
    for number, cells in rows:
        kept = {name: cell for name, cell in cells.items() if name not in {metric.lower() for metric in metrics}}
        for metric in metrics:
            yield number, {**kept, "metric": metric, "value": cells[metric.lower()]}


def _is_metric(column: str, rows: list[tuple[int, dict[str, str]]]) -> bool:
    """Return whether most of a column's cells are numbers."""
    filled = [cells[column] for _number, cells in rows if cells[column]]
    return bool(filled) and 2 * sum(NUMBER.fullmatch(cell) is not None for cell in filled) > len(filled)


def _check(header: list[str]) -> None:
    missing = [name for name in REQUIRED if name not in header]
    if missing:
        raise InvalidInput(f"The column {', '.join(missing)} is missing; {', '.join(REQUIRED)} are required.")
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise InvalidInput(f"The column {', '.join(twice) or '(no name)'} appears twice.")


def _share(metric: MetricRows) -> None:
    """Move the cells that all rows with a value share from the clips to the metric."""
    valued = [measured.detail for measured in metric.values if measured.value is not None]
    if valued:
        alike = {
            column: cell for column, cell in valued[0].items() if all(detail.get(column) == cell for detail in valued)
        }
        metric.provenance = {column: cell for column, cell in alike.items() if column not in WHY}
    for clip, (number, measured) in metric.rows.items():
        own = {column: cell for column, cell in measured.detail.items() if metric.provenance.get(column) != cell}
        metric.rows[clip] = number, Measured(measured.clip, measured.value, measured.failure, own)


def _cell(cell: str) -> Any:
    """Return a cell as stored: parsed if it is a JSON object or list, otherwise as text."""
    if cell[:1] in "[{":
        try:
            return client_input.json_value(cell)
        except ValueError:
            return cell
    return cell

"""The manifest: one row a clip, as a researcher hands it in."""

from __future__ import annotations

import csv
import hashlib
import io
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, fields

from studies.ingest.names import clean, folded
from studies.ingest.problems import Problem, Refused

REQUIRED = ("file", "system", "role")
ROLES = ("test", "trap_flawed", "trap_human", "training", "reference", "anchor")
BOXES = ("white", "black")
# Longest value of each column, in characters; the columns that are not required may be left out or empty.
LONGEST = {
    "file": 500,
    "system": 100,
    "role": 20,
    "voice": 100,
    "text_id": 200,
    "dimension": 100,
    "language": 20,
    "text": 20_000,
    "box": 20,
    "benchmark": 100,
    "condition": 100,
    "domain": 100,
    "take": 20,
}
MAX_BYTES = 32 * 1024 * 1024
MAX_ROWS = 10_000
SEPARATORS = ",;\t"


@dataclass(frozen=True)
class Row:
    """What the manifest says about one clip."""

    number: int
    file: str
    system: str
    role: str
    voice: str = ""
    text_id: str = ""
    dimension: str = ""
    language: str = ""
    text: str = ""
    box: str = ""
    benchmark: str = ""
    condition: str = ""
    domain: str = ""
    take: str = ""


COLUMNS = tuple(field.name for field in fields(Row) if field.name != "number")


@dataclass(frozen=True)
class Manifest:
    """The rows that can be used, what is wrong with the others, and every file that is named."""

    rows: tuple[Row, ...]
    problems: tuple[Problem, ...]
    files: frozenset[str] = frozenset()


def read(content: bytes) -> Manifest:
    """Read a manifest CSV; whatever is wrong becomes a problem, never an exception."""
    try:
        records = _records(content)
        header = _header(next(records, (1, []))[1])
    except Refused as error:
        return Manifest((), (Problem(1, "", "", str(error)),))
    reader = _Reader(header)
    try:
        for number, cells in records:
            if number > MAX_ROWS + 1:
                raise Refused(f"The manifest has more than {MAX_ROWS:,} rows. Split it into several imports.")
            if any(cell.strip() for cell in cells):
                reader.take(number, cells)
    except Refused as error:
        reader.problems.append(Problem(0, "", "", str(error)))
    if not reader.rows and not reader.problems:
        reader.problems.append(Problem(0, "", "", "The manifest has no rows below its header."))
    return Manifest(tuple(reader.rows), tuple(reader.problems), frozenset(file for _, file in reader.files.values()))


def decode(content: bytes) -> str:
    """Return the manifest's text; raises `Refused` for any encoding but UTF-8, with or without a byte order mark."""
    if len(content) > MAX_BYTES:
        raise Refused(f"The manifest is larger than {MAX_BYTES // 1024**2} MiB.")
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Refused("The manifest is UTF-16 text. Save it as “CSV UTF-8”, then send it again.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise Refused(f"The manifest isn't UTF-8 (line {line}). Save it as “CSV UTF-8”, then send it again.") from None


def _records(content: bytes) -> Iterator[tuple[int, list[str]]]:
    text = decode(content)
    line = text.lstrip().split("\n", 1)[0]
    separator = max(SEPARATORS, key=lambda candidate: _known(line, candidate))
    return _numbered(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))


def _numbered(reader: Iterator[list[str]]) -> Iterator[tuple[int, list[str]]]:
    """Number records as a spreadsheet does: a quoted line break makes no new row, an empty line does."""
    number = 0
    while True:
        number += 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise Refused(f"Row {number} can't be read as CSV: {error}. Look for a quotation mark left open.") from None
        yield number, cells


def _known(line: str, separator: str) -> int:
    return sum(cell.strip().strip('"').strip().lower() in COLUMNS for cell in line.split(separator))


def _header(cells: list[str]) -> list[str]:
    header = [cell.strip().lower() for cell in cells]
    while header and not header[-1]:
        header.pop()
    if not header:
        raise Refused(f"The manifest is empty. Its first row names the columns: {', '.join(COLUMNS)}.")
    unknown = [name or "(no name)" for name in header if name not in COLUMNS]
    if unknown:
        raise Refused(f"Unknown column {', '.join(unknown)}. Known columns are {', '.join(COLUMNS)}.")
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise Refused(f"The column {', '.join(twice)} appears twice.")
    missing = [name for name in REQUIRED if name not in header]
    if missing:
        raise Refused(f"The column {', '.join(missing)} is missing; {', '.join(REQUIRED)} are required.")
    return header


class _Reader:
    """Collects rows and problems; remembers files and texts to compare them across rows."""

    def __init__(self, header: list[str]) -> None:
        self.header = header
        self.rows: list[Row] = []
        self.problems: list[Problem] = []
        self.files: dict[str, tuple[int, str]] = {}
        self.texts: dict[str, tuple[int, str]] = {}

    def take(self, number: int, cells: list[str]) -> None:
        """Check one record and keep it when nothing is wrong with it."""
        values = dict(zip(self.header, (cell.strip() for cell in cells), strict=False))
        found = [(column, reason) for column, value in values.items() for reason in _wrong(column, value)]
        if any(cell.strip() for cell in cells[len(self.header) :]):
            found.append(("", "The row has more cells than the header. Put values that hold a separator in quotes."))
        found += [(name, f"The {name} is empty.") for name in REQUIRED if not values.get(name)]
        file = values.get("file", "")
        try:
            file = values["file"] = clean(file) if file else ""
        except Refused as error:
            found.append(("file", str(error)))
        found += self._compared(number, values)
        self.problems += [Problem(number, file, column, reason) for column, reason in found]
        if not found:
            self.rows.append(Row(number, **values))

    def _compared(self, number: int, values: dict[str, str]) -> Iterator[tuple[str, str]]:
        """Yield what only shows beside the rows before."""
        file, text = values.get("file", ""), values.get("text", "")
        row, before = self.files.setdefault(folded(file), (number, file))
        if file and row != number:
            differ = "" if before == file else f" as {before}; names that differ in case alone can't be told apart"
            yield "file", f"The file is already in row {row}{differ}."
        if text and not values.get("text_id"):
            # The same words are the same text, so that nobody hears them twice.
            values["text_id"] = f"text-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
        if text and values["text_id"]:
            row, first = self.texts.setdefault(values["text_id"], (number, text))
            if first != text:
                yield "text", f"The text_id {values['text_id']} has another text in row {row}. Give each text its own."


def _wrong(column: str, value: str) -> Iterator[str]:
    """Yield what is wrong with one value on its own."""
    if len(value) > LONGEST[column]:
        yield f"The {column} has {len(value):,} characters; at most {LONGEST[column]:,} are kept."
    allowed = "\n\r\t" if column == "text" else ""
    if column != "file" and any(unicodedata.category(c) == "Cc" and c not in allowed for c in value):
        yield f"The {column} holds a line break or another control character."
    if column == "role" and value and value not in ROLES:
        yield f"{value!r} is no role. Known roles are {', '.join(ROLES)}."
    if column == "box" and value and value not in BOXES:
        yield f"{value!r} is no box. Write white or black, or leave it empty."

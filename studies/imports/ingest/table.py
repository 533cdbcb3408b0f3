"""Read CSV files of researchers: encoding, separator, header and single values."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from charset_normalizer import from_bytes

from studies.imports.ingest.problems import ImportProblem, InvalidInput

MAX_BYTES = 32 * 1024 * 1024
MAX_ROWS = 10_000
SEPARATORS = ",;\t"
# What spreadsheets write that don't write Unicode: Western Europe, China.
ENCODINGS = {"cp1252": "Windows-1252", "gb18030": "GB 18030"}
# Unicode's category Cc, and without tabs and line breaks.
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
CONTROL_IN_LINES = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
# The problems of one row: (column, reason).
Reasons = list[tuple[str, str]]


@dataclass(frozen=True)
class TableKind:
    """A kind of file: the table of its problems, its name in sentences, and its columns.

    `longest` has the longest value of each column in characters; `lines` are those that may hold line breaks.
    Columns that are not among them are refused, or ignored with a warning.
    """

    table: str
    title: str
    longest: Mapping[str, int]
    required: tuple[str, ...]
    lines: frozenset[str] = frozenset()
    ignores_unknown: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.longest)


@dataclass(frozen=True)
class CsvRecord:
    """One row: its stripped values by column, and the problems of single values."""

    number: int
    values: dict[str, str]
    reasons: Reasons


def read(content: bytes, kind: TableKind, take: Callable[[CsvRecord], list[ImportProblem]]) -> list[ImportProblem]:
    """Pass each row to `take`, which returns its problems; those of the file as a whole come last."""
    problems: list[ImportProblem] = []
    row, filled_rows = 1, 0
    try:
        text, guessed = decode(content, kind)
        if guessed:
            problems.append(ImportProblem(0, "", "", _guess(text, guessed, kind), warning=True, table=kind.table))
        numbered = records(text, kind)
        header = _header(next(numbered, (1, []))[1], kind)
        problems += _ignored(header, kind)
        # Problems from here on belong to no single row.
        row = 0
        for number, cells in numbered:
            if number > MAX_ROWS + 1:
                raise InvalidInput(f"{kind.title} has more than {MAX_ROWS:,} rows. Split it into several imports.")
            if any(cell.strip() for cell in cells):
                filled_rows += 1
                problems += take(_record(number, cells, header, kind))
        if not filled_rows:
            raise InvalidInput(f"{kind.title} has no rows below its header.")
    except InvalidInput as error:
        problems.append(ImportProblem(row, "", "", str(error), table=kind.table))
    return problems


def decode(content: bytes, kind: TableKind) -> tuple[str, str]:
    """Return the file's text and, unless it is Unicode, the name of the encoding that it seems to have.

    UTF-16 needs its byte order mark. Raises `InvalidInput` for what is no text.
    """
    if len(content) > MAX_BYTES:
        raise InvalidInput(f"{kind.title} is larger than {MAX_BYTES // 1024**2} MiB.")
    is_utf_16 = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        return content.decode("utf-16" if is_utf_16 else "utf-8-sig"), ""
    except UnicodeDecodeError as error:
        guess = None if is_utf_16 else from_bytes(content, cp_isolation=list(ENCODINGS)).best()
        if guess is None:
            line = content.count(b"\n", 0, error.start) + 1
            raise InvalidInput(
                f"{kind.title} can't be read as text (line {line}). Save it as “CSV UTF-8”, then send it again."
            ) from None
    return str(guess), ENCODINGS[guess.encoding]


def _guess(text: str, encoding: str, kind: TableKind) -> str:
    example = next(cell.strip() for cell in re.split(r'[,;\t\r\n"]', text) if not cell.isascii())
    return (
        f"{kind.title} isn't UTF-8 and was read as {encoding}: check whether “{example[:60]}” is right. If not, "
        "save it as “CSV UTF-8”, then send it again."
    )


def records(text: str, kind: TableKind) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and cells of each row, by the separator that shows most known columns, or else most columns."""
    line = text.lstrip().split("\n", 1)[0]
    separator = max(SEPARATORS, key=lambda mark: (_known(line, mark, kind), line.count(mark)))
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
            raise InvalidInput(
                f"Row {number} can't be read as CSV: {error}. Look for a quotation mark left open."
            ) from None
        yield number, cells


def _known(line: str, separator: str, kind: TableKind) -> int:
    return sum(cell.strip().strip('"').strip().lower() in kind.longest for cell in line.split(separator))


def _header(cells: list[str], kind: TableKind) -> list[str]:
    header = [cell.strip().lower() for cell in cells]
    while header and not header[-1]:
        header.pop()
    if not header:
        raise InvalidInput(f"{kind.title} is empty. Its first row names the columns: {', '.join(kind.columns)}.")
    unknown = [name for name in header if name not in kind.longest]
    if unknown and not kind.ignores_unknown:
        names = ", ".join(name or "(no name)" for name in unknown)
        raise InvalidInput(f"Unknown column {names}. Known columns are {', '.join(kind.columns)}.")
    twice = sorted({name for name in header if header.count(name) > 1 and name in kind.longest})
    if twice:
        raise InvalidInput(f"The column {', '.join(twice)} appears twice.")
    missing = [name for name in kind.required if name not in header]
    if missing:
        meant = [f" Is “{near}” meant as {name}? Rename it." for name in missing if (near := _near(name, unknown))]
        required = ", ".join(kind.required)
        raise InvalidInput(f"The column {', '.join(missing)} is missing; {required} are required.{''.join(meant)}")
    return header


def _ignored(header: list[str], kind: TableKind) -> Iterator[ImportProblem]:
    """Warn of each column that is left out."""
    for name in header:
        if name not in kind.longest:
            near = _near(name, (column for column in kind.columns if column not in header))
            reason = (
                f"The column “{name}” is unknown and was ignored." if name else "A column without a name was ignored."
            )
            meant = f" Did you mean {near}?" if near else ""
            yield ImportProblem(1, "", name, reason + meant, warning=True, table=kind.table)


def _near(name: str, others: Iterable[str]) -> str:
    """Return what a name was probably meant as; empty if nothing is near."""
    return next(iter(get_close_matches(name, [other for other in others if other], n=1)), "")


def _record(number: int, cells: list[str], header: list[str], kind: TableKind) -> CsvRecord:
    values = {name: cell.strip() for name, cell in zip(header, cells, strict=False) if name in kind.longest}
    reasons = [(column, reason) for column, value in values.items() for reason in _wrong(column, value, kind)]
    if any(cell.strip() for cell in cells[len(header) :]):
        reasons.append(("", "The row has more cells than the header. Put values that contain a separator in quotes."))
    reasons += [(name, f"The column {name} is empty.") for name in kind.required if not values.get(name)]
    return CsvRecord(number, values, reasons)


def _wrong(column: str, value: str, kind: TableKind) -> Iterator[str]:
    if len(value) > kind.longest[column]:
        yield f"The {column} has {len(value):,} characters; at most {kind.longest[column]:,} are allowed."
    if (CONTROL_IN_LINES if column in kind.lines else CONTROL).search(value):
        yield f"The {column} contains a line break or another control character."

"""Read tables of researchers: encoding, header and single values."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from charset_normalizer import from_bytes

from core.text.words import joined, say
from studies.imports.ingest.dialects import cells_of
from studies.imports.ingest.problems import ImportProblem, InvalidInput

MAX_BYTES = 32 * 1024 * 1024
MAX_ROWS = 100_000
# Bytes that are checked at once for whether they are Unicode, and the marks at the start of UTF-16.
CHUNK, UTF_16 = 1 << 20, (b"\xff\xfe", b"\xfe\xff")
# What spreadsheets write that don't write Unicode: Western Europe, China.
ENCODINGS = {"cp1252": "Windows-1252", "gb18030": "GB 18030"}
# Longest value of a column that is kept as it is.
LONGEST_EXTRA = 1000
# What a spreadsheet runs as a formula at the start of a cell; exports put a quotation mark before it.
FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r")
# Unicode's category Cc, and without tabs and line breaks.
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
CONTROL_IN_LINES = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
# The problems of one row: (column, reason).
Reasons = list[tuple[str, str]]


@dataclass(frozen=True)
class TableKind:
    """A kind of file: the table of its problems, its name in sentences, and its columns.

    `longest` has the longest value of each column in characters; `lines` are those that may hold line breaks.
    Other columns are kept where `extra` matches their names, and else refused, or ignored with a warning.
    """

    table: str
    title: str
    longest: Mapping[str, int]
    required: tuple[str, ...]
    lines: frozenset[str] = frozenset()
    ignores_unknown: bool = False
    extra: re.Pattern[str] | None = None

    def limit(self, column: str) -> int:
        """Return the longest value of a column; 0 for an unknown one."""
        is_extra = self.extra is not None and self.extra.fullmatch(column) is not None
        return self.longest.get(column, LONGEST_EXTRA if is_extra else 0)

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
        text, warning = lines(content, kind)
        if warning:
            problems.append(ImportProblem(0, "", "", warning, warning=True, table=kind.table))
        numbered = records(text, kind)
        header = _header(next(numbered, (1, []))[1], kind)
        problems += _ignored(header, kind)
        # Problems from here on belong to no single row.
        row = 0
        for number, cells in numbered:
            if number > MAX_ROWS + 1:
                raise InvalidInput(
                    say(
                        "{title} has more than {most} rows. Split it into several imports.",
                        title=kind.title,
                        most=f"{MAX_ROWS:,}",
                    )
                )
            if any(cell.strip() for cell in cells):
                filled_rows += 1
                problems += take(_record(number, cells, header, kind))
        if not filled_rows:
            raise InvalidInput(say("{title} has no rows below its header.", title=kind.title))
    except InvalidInput as error:
        problems.append(ImportProblem(row, "", "", str(error), table=kind.table))
    return problems


def lines(content: bytes, kind: TableKind) -> tuple[Iterator[str], str]:
    """Return the file's lines, decoded as they are read, and a warning unless it is Unicode; raises like `decode`."""
    if len(content) <= MAX_BYTES and (encoding := _unicode(content)):
        return io.TextIOWrapper(io.BytesIO(content), encoding, newline=""), ""
    text, guessed = decode(content, kind)
    return io.StringIO(text, newline=""), _guess(text, guessed, kind) if guessed else ""


def _unicode(content: bytes) -> str:
    """Return the name of the file's encoding; empty unless all of it is Unicode."""
    encoding = "utf-16" if content.startswith(UTF_16) else "utf-8-sig"
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for start in range(0, len(content), CHUNK):
            decoder.decode(content[start : start + CHUNK])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return ""
    return encoding


def decode(content: bytes, kind: TableKind) -> tuple[str, str]:
    """Return the file's text and, unless it is Unicode, the name of the encoding that it seems to have.

    UTF-16 needs its byte order mark. Raises `InvalidInput` for what is no text.
    """
    if len(content) > MAX_BYTES:
        raise InvalidInput(say("{title} is larger than {most} MiB.", title=kind.title, most=MAX_BYTES // 1024**2))
    is_utf_16 = content.startswith(UTF_16)
    try:
        return content.decode("utf-16" if is_utf_16 else "utf-8-sig"), ""
    except UnicodeDecodeError as error:
        guess = None if is_utf_16 else from_bytes(content, cp_isolation=list(ENCODINGS)).best()
        if guess is None:
            line = content.count(b"\n", 0, error.start) + 1
            raise InvalidInput(
                say(
                    "{title} can't be read as text (line {line}). Save it as “CSV UTF-8”, then send it again.",
                    title=kind.title,
                    line=line,
                )
            ) from None
    return str(guess), ENCODINGS[guess.encoding]


def _guess(text: str, encoding: str, kind: TableKind) -> str:
    example = next(cell.strip() for cell in re.split(r'[,;\t\r\n"]', text) if not cell.isascii())
    return say(
        "{title} isn't UTF-8 and was read as {encoding}: check whether “{example}” is right. If not, save it as "
        "“CSV UTF-8”, then send it again.",
        title=kind.title,
        encoding=encoding,
        example=example[:60],
    )


def records(
    text: Iterable[str], kind: TableKind, known: Collection[str] | None = None
) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and cells of each row of the lines; `known` are names of columns that tell the separator."""
    return _numbered(cells_of(text, kind.longest if known is None else known))


def _numbered(reader: Iterator[list[str]]) -> Iterator[tuple[int, list[str]]]:
    """Number records as a spreadsheet does: a quoted line break makes no new row, an empty line does."""
    number = 0
    while True:
        number += 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except ValueError as error:
            raise InvalidInput(say("Row {number} is not valid JSON: {error}", number=number, error=error)) from None
        except csv.Error as error:
            raise InvalidInput(
                say(
                    "Row {number} can't be read as CSV: {error}. Look for a quotation mark left open.",
                    number=number,
                    error=error,
                )
            ) from None
        yield number, cells


def _header(cells: list[str], kind: TableKind) -> list[str]:
    header = [cell.strip().lower() for cell in cells]
    while header and not header[-1]:
        header.pop()
    if not header:
        names = ", ".join(kind.columns)
        raise InvalidInput(
            say("{title} is empty. Its first row names the columns: {names}.", title=kind.title, names=names)
        )
    unknown = [name for name in header if not kind.limit(name)]
    if unknown and not kind.ignores_unknown:
        names = ", ".join(name or "“”" for name in unknown)
        raise InvalidInput(
            say("Unknown column {names}. Known columns are {known}.", names=names, known=", ".join(kind.columns))
        )
    twice = sorted({name for name in header if header.count(name) > 1 and kind.limit(name)})
    if twice:
        raise InvalidInput(say("The column {name} appears twice.", name=", ".join(twice)))
    missing = [name for name in kind.required if name not in header]
    if missing:
        meant = [
            say("Is “{near}” meant as {name}? Rename it.", near=near, name=name)
            for name in missing
            if (near := _near(name, unknown))
        ]
        sentence = say(
            "The column {names} is missing; {required} are required.",
            names=", ".join(missing),
            required=", ".join(kind.required),
        )
        raise InvalidInput(joined(sentence, *meant))
    return header


def _ignored(header: list[str], kind: TableKind) -> Iterator[ImportProblem]:
    """Warn of each column that is left out."""
    for name in header:
        if not kind.limit(name):
            near = _near(name, (column for column in kind.columns if column not in header))
            reason = (
                say("The column “{name}” is unknown and was ignored.", name=name)
                if name
                else say("A column without a name was ignored.")
            )
            meant = [say("Did you mean {name}?", name=near)] if near else []
            yield ImportProblem(1, "", name, joined(reason, *meant), warning=True, table=kind.table)


def _near(name: str, others: Iterable[str]) -> str:
    """Return what a name was probably meant as; empty if nothing is near."""
    return next(iter(get_close_matches(name, [other for other in others if other], n=1)), "")


def _record(number: int, cells: list[str], header: list[str], kind: TableKind) -> CsvRecord:
    values = {name: cell.strip() for name, cell in zip(header, cells, strict=False) if kind.limit(name)}
    reasons = [(column, reason) for column, value in values.items() for reason in _wrong(column, value, kind)]
    if any(cell.strip() for cell in cells[len(header) :]):
        reason = say("The row has more cells than the header. Put values that contain a separator in quotes.")
        reasons.append(("", reason))
    reasons += [(name, say("The column {name} is empty.", name=name)) for name in kind.required if not values.get(name)]
    return CsvRecord(number, values, reasons)


def _wrong(column: str, value: str, kind: TableKind) -> Iterator[str]:
    if len(value) > kind.limit(column):
        yield say(
            "The {column} has {number} characters; at most {most} are allowed.",
            column=column,
            number=f"{len(value):,}",
            most=f"{kind.limit(column):,}",
        )
    if (CONTROL_IN_LINES if column in kind.lines else CONTROL).search(value):
        yield say("The {column} contains a line break or another control character.", column=column)


def quoted(value: str) -> str:
    """Return a value for a cell, with a quotation mark before what a spreadsheet would run as a formula."""
    return "'" + value if value.startswith(FORMULA) else value


def unquoted(value: str) -> str:
    """Return a value without the quotation mark of `quoted`."""
    return value[1:] if value[:1] == "'" and value[1:].startswith(FORMULA) else value

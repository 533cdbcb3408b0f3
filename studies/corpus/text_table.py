"""Read tables of texts: one row for each text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from studies.corpus.rules import ACCEPTED, CHECKED, DRAFT, REJECTED
from studies.imports.ingest import table
from studies.imports.ingest.manifest import BOXES
from studies.imports.ingest.problems import ImportProblem

STATES = (DRAFT, ACCEPTED, CHECKED, REJECTED)
LONGEST = {
    "text_id": 200,
    "text": 20_000,
    "language": 20,
    "dimension": 100,
    "box": 20,
    "source": 300,
    "licence": 200,
    "state": 10,
    "style": 2_000,
    "turns": 20_000,
}
# Columns that a spreadsheet could have run as formulas, and that export therefore quotes.
KIND = table.TableKind(
    "texts", "The table of texts", LONGEST, ("text_id", "text"), frozenset({"text", "style", "turns"}), True
)
COLUMNS = KIND.columns
FORMULA = ("=", "+", "-", "@", "\t", "\r")
MOST_TURNS = 20


@dataclass(frozen=True)
class TextRow:
    """One text of the table; a column that the table lacks is not in `values`."""

    number: int
    name: str
    values: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class TextTable:
    """The valid rows, and the problems of the others."""

    rows: tuple[TextRow, ...]
    problems: tuple[ImportProblem, ...]


def read(content: bytes) -> TextTable:
    """Read a CSV of texts; errors become problems, never exceptions."""
    rows: list[TextRow] = []
    numbers: dict[str, int] = {}

    def take(record: table.CsvRecord) -> list[ImportProblem]:
        values: dict[str, Any] = {column: _plain(value) for column, value in record.values.items()}
        reasons = [*record.reasons, *_wrong(values)]
        name = values.pop("text_id", "")
        if name and numbers.setdefault(name, record.number) != record.number:
            reasons.append(
                ("text_id", f"The text_id {name} is already in row {numbers[name]}. Give each text its own.")
            )
        if not reasons:
            rows.append(TextRow(record.number, name, values))
        return [ImportProblem(record.number, "", column, reason, table="texts") for column, reason in reasons]

    problems = table.read(content, KIND, take)
    return TextTable(tuple(rows), tuple(problems))


def _plain(value: str) -> str:
    """Return a value without the quotation mark that an export put before what looks like a formula."""
    value = value.replace("\r\n", "\n")
    return value[1:] if value[:1] == "'" and value[1:].startswith(FORMULA) else value


def _wrong(values: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with single values; turns are read, and the state is written as here."""
    for column, known in (("box", BOXES), ("state", STATES)):
        if column in values:
            values[column] = values[column].lower()
            if values[column] and values[column] not in known:
                yield column, f"“{values[column]}” is not a {column}.{_meant(values[column], known)}"
    try:
        if "turns" in values:
            values["turns"] = turns_of(values["turns"])
    except ValueError as error:
        yield "turns", str(error)


def _meant(value: str, known: tuple[str, ...]) -> str:
    near = get_close_matches(value, known, n=1)
    return f" Did you mean {near[0]}?" if near else f" Write {', '.join(known)}, or leave it empty."


def turns_of(text: str) -> list[dict[str, str]]:
    """Return dialogue turns from JSON or lines like “Anna: Are you coming?”; raise `ValueError` with a sentence."""
    if text.lstrip().startswith("["):
        try:
            turns = json.loads(text)
            pairs = [(str(turn.get("speaker", "")), turn["text"]) for turn in turns]
        except (ValueError, AttributeError, KeyError, TypeError):
            raise ValueError('Turns are a list like [{"speaker": "A", "text": "…"}].') from None
    else:
        lines = (line.strip() for line in text.splitlines())
        pairs = [_turn(line) for line in lines if line]
    if len(pairs) > MOST_TURNS:
        raise ValueError(f"At most {MOST_TURNS} dialogue turns are allowed.")
    if any(not isinstance(said, str) or not said.strip() for _speaker, said in pairs):
        raise ValueError("Every dialogue turn needs a text.")
    return [{"speaker": speaker.strip()[:100], "text": said.strip()} for speaker, said in pairs]


def _turn(line: str) -> tuple[str, str]:
    """Return (speaker, text); a line without a short name and a colon is text."""
    head, mark, said = line.replace("\uff1a", ":", 1).partition(":")
    return (head, said) if mark and said.strip() and len(head) <= 40 else ("", line)


def lines_of(turns: list[dict[str, str]]) -> str:
    """Return dialogue turns as lines that `turns_of` reads."""
    return "\n".join(_line(turn["speaker"], " ".join(turn["text"].split())) for turn in turns)


def _line(speaker: str, said: str) -> str:
    return f"{speaker}: {said}" if speaker or ":" in said else said

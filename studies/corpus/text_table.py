"""Read tables of texts: one row for each text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from core.text.words import joined, say
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
KIND = table.TableKind(
    "texts", say("The table of texts"), LONGEST, ("text_id", "text"), frozenset({"text", "style", "turns"}), True
)
COLUMNS = KIND.columns
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
        values: dict[str, Any] = {
            column: table.unquoted(value.replace("\r\n", "\n")) for column, value in record.values.items()
        }
        reasons = [*record.reasons, *_wrong(values)]
        name = values.pop("text_id", "")
        if name and numbers.setdefault(name, record.number) != record.number:
            row = numbers[name]
            reason = say("The text_id {name} is already in row {row}. Give each text its own.", name=name, row=row)
            reasons.append(("text_id", reason))
        if not reasons:
            rows.append(TextRow(record.number, name, values))
        return [ImportProblem(record.number, "", column, reason, table="texts") for column, reason in reasons]

    problems = table.read(content, KIND, take)
    return TextTable(tuple(rows), tuple(problems))


def _wrong(values: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield problems of single values. Reads turns, and writes the state as this server does."""
    for column, known in (("box", BOXES), ("state", STATES)):
        if column in values:
            values[column] = values[column].lower()
            if values[column] and values[column] not in known:
                yield column, _unknown(column, values[column], known)
    try:
        if "turns" in values:
            values["turns"] = turns_of(values["turns"])
    except ValueError as error:
        yield "turns", str(error)


def _unknown(column: str, value: str, known: tuple[str, ...]) -> str:
    near = get_close_matches(value, known, n=1)
    advice = (
        say("Did you mean {name}?", name=near[0])
        if near
        else say("Write one of {known}, or leave it empty.", known=", ".join(known))
    )
    return joined(say("“{value}” is not a {column}.", value=value, column=column), advice)


def turns_of(text: str) -> list[dict[str, str]]:
    """Return dialogue turns from JSON or lines like “Anna: Are you coming?”; raise `ValueError` with a sentence."""
    if text.lstrip().startswith("["):
        try:
            turns = json.loads(text)
            pairs = [(str(turn.get("speaker", "")), turn["text"]) for turn in turns]
        except (ValueError, AttributeError, KeyError, TypeError):
            raise ValueError(
                say("Turns are a list like {example}.", example='[{"speaker": "A", "text": "…"}]')
            ) from None
    else:
        lines = (line.strip() for line in text.splitlines())
        pairs = [_turn(line) for line in lines if line]
    if len(pairs) > MOST_TURNS:
        raise ValueError(say("At most {most} dialogue turns are allowed.", most=MOST_TURNS))
    if any(not isinstance(said, str) or not said.strip() for _speaker, said in pairs):
        raise ValueError(say("Every dialogue turn needs a text."))
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

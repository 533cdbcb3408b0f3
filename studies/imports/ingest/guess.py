"""Propose a manifest from the names of files and folders, and from any table that names them."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from core.text.words import say
from studies.imports.ingest import columns, layouts, manifest, readings, table
from studies.imports.ingest.finding import Finder, is_audio
from studies.imports.ingest.name_words import HUMAN, is_human, role_of
from studies.imports.ingest.names import clean, is_litter, natural
from studies.imports.ingest.problems import InvalidInput

Row = dict[str, str]
# Values shown of a column, and their characters.
EXAMPLES, LONGEST_EXAMPLE = 3, 60


@dataclass(frozen=True)
class Reading:
    """One of two layouts that are about as likely, with the row that it gives the first file."""

    layout: str
    example: Row


@dataclass(frozen=True)
class Part:
    """A part of the names: an example, the number of its values, and what the layout takes it for."""

    example: str
    values: int
    meaning: str


@dataclass(frozen=True)
class Proposal:
    """Rows of a manifest to check: values by column, the source of each column, and what fits nowhere."""

    rows: tuple[Row, ...]
    # The columns of the given table, each with the manifest's column it is read as; "" for none.
    mapping: dict[str, str]
    # Files that the given table does not name, and its files that are not there, with the one that may be meant.
    left_out: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    hints: Mapping[str, str] | None = None
    # The first different values of each column, and the column of a manifest that an ignored one may mean.
    examples: Mapping[str, Sequence[str]] | None = None
    suggestions: Mapping[str, str] | None = None
    layout: str = ""
    parts: tuple[Part, ...] = ()
    # Both, where two are about as likely; empty otherwise.
    readings: tuple[Reading, ...] = ()

    @property
    def ignored(self) -> list[str]:
        """The columns of the table that are not read."""
        return [name for name, column in self.mapping.items() if not column]


def propose(
    names: Sequence[str], content: bytes | None = None, chosen: Mapping[str, str] | None = None, layout: str = ""
) -> Proposal:
    """Return a row for each audio file among `names`, sorted as people count.

    With a table, only its files get rows, in its order, and its values come before those read from names.
    `chosen` maps columns of the table to those of a manifest, instead of what their names suggest; `layout` says what
    the parts of names are, for all files. Raises `InvalidInput` for a table or layout that can't be read, and where
    there is no audio file at all.
    """
    files = [name for name in names if not is_litter(name) and is_audio(name)]
    if not files:
        raise InvalidInput(
            say("None of these files is audio. Choose WAV, FLAC, MP3, Ogg, AIFF, M4A, AAC or WebM files.")
        )
    parsed = layouts.Names(sorted(map(clean, files), key=natural))
    likely = [layouts.parse(layout)] if layout else readings.layouts_of(parsed)[:2]
    listed = _Table(content, Finder([name.file for name in parsed.all]), chosen or {}) if content is not None else None
    offers = [(str(each), *_rows(parsed, each, listed)) for each in likely]
    first, rows, missing = offers[0]
    is_open = len(offers) == 2 and rows != offers[1][1]
    used = {row["file"] for row in rows}
    return Proposal(
        tuple(rows),
        listed.mapping if listed else {},
        tuple(name.file for name in parsed.all if name.file not in used) if listed else (),
        tuple(missing),
        {name: near for name in missing if listed and (near := listed.finder.near(name)) and near not in used},
        listed.examples if listed else {},
        listed.suggestions if listed else {},
        first,
        tuple(_parts(parsed, likely[0])),
        tuple(Reading(each, _example(theirs, rows)) for each, theirs, _missing in offers) if is_open else (),
    )


def as_manifest(rows: Sequence[Row]) -> bytes:
    """Return proposed rows as the CSV that an import reads."""
    filled = dict.fromkeys(column for row in rows for column, value in row.items() if value)
    used = [column for column in manifest.COLUMNS if column in manifest.KIND.required or column in filled]
    used += [column for column in filled if column not in manifest.COLUMNS]
    out = io.StringIO()
    writer = csv.DictWriter(out, used, restval="", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def _example(rows: Sequence[Row], first: Sequence[Row]) -> Row:
    """Return the first row of a reading in which readings may differ."""
    return next((row for row in rows if row["role"] == "test"), rows[0]) if rows else dict(*first[:1])


def _parts(names: layouts.Names, layout: layouts.Layout) -> list[Part]:
    columns_of = layouts.columns_of(names, layout)
    return [Part(next(filter(None, values), ""), len(set(values) - {""}), meaning) for meaning, values in columns_of]


def _first(rows: Sequence[Sequence[str]], place: int) -> list[str]:
    """Return the first different values of a column, shortened."""
    cells = (row[place] for row in rows[: columns.SAMPLE] if place < len(row) and row[place])
    return [cell[:LONGEST_EXAMPLE] for cell in islice(dict.fromkeys(cells), EXAMPLES)]


def _rows(names: layouts.Names, layout: layouts.Layout, listed: _Table | None) -> tuple[list[Row], list[str]]:
    """Return the rows of a layout, with the values of the table, and the files of the table that aren't there."""
    guesses = {row["file"]: row for row in layouts.rows(names, layout)}
    if listed is None:
        return list(guesses.values()), []
    return [{**guesses[file], **values, "file": file} for file, values in listed.rows], listed.missing


class _Table:
    """A table that names some of the files: its mapping, and the values of each file."""

    def __init__(self, content: bytes, finder: Finder, chosen: Mapping[str, str]) -> None:
        self.finder = finder
        text, _warning = table.lines(content, manifest.KIND)
        records = (
            [cell.strip() for cell in cells]
            for _number, cells in table.records(text, manifest.KIND, known=columns.KNOWN)
        )
        listed = [cells for cells in islice(records, table.MAX_ROWS + 1) if any(cells)]
        if not listed:
            raise InvalidInput(say("The table is empty."))
        if columns.has_header(listed[0], finder):
            header, listed = listed[0], listed[1:]
            self.mapping = columns.named(header, listed, chosen, finder)
        else:
            header = [f"column {number}" for number in range(1, max(map(len, listed)) + 1)]
            self.mapping = columns.unnamed(header, listed, chosen, finder)
        if "file" not in self.mapping.values():
            names = ", ".join(filter(None, header))
            raise InvalidInput(
                say(
                    "No column of the table names the files. Its columns are {names}. Call the one with files “file”.",
                    names=names,
                )
            )
        self.examples = {name: _first(listed, place) for place, name in enumerate(header) if name}
        taken = set(self.mapping.values())
        near = {name: columns.known_near(name, taken) for name, column in self.mapping.items() if not column}
        self.suggestions = {name: column for name, column in near.items() if column and name not in chosen}
        self.rows: list[tuple[str, Row]] = []
        self.missing: list[str] = []
        self._read(header, listed)

    def _read(self, header: Sequence[str], listed: Sequence[Sequence[str]]) -> None:
        matches: dict[str, int] = {}
        found = []
        for cells in listed:
            pairs = zip(header, cells, strict=False)
            values = {self.mapping[name]: cell for name, cell in pairs if self.mapping.get(name) and cell}
            name = values.get("file", "")
            file = self.finder.find(name)
            found.append((name, file, values))
            if file:
                matches[file] = max(matches.get(file, 0), self.finder.shared_words(name, file))
        for name, file, values in found:
            # a/1.wav and b/1.wav don't both mean the only 1.wav that is there.
            if file and self.finder.shared_words(name, file) == matches[file]:
                self.rows.append((file, self._meant(values)))
            elif name:
                self.missing.append(name)

    def _meant(self, values: Row) -> Row:
        """Write role, system and prompt as a manifest does, where their meaning is plain."""
        if "role" in values:
            values["role"] = role_of(values["role"]) or values["role"].lower()
        if is_human(values.get("system", "")):
            values["system"] = HUMAN
        if "prompt_file" in values:
            values["prompt_file"] = self.finder.find(values["prompt_file"]) or values["prompt_file"]
        return values

"""Propose a manifest from the names of files and folders, and from any table that names them."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from core.text.words import say
from studies.imports.ingest import layouts, manifest, readings
from studies.imports.ingest.finding import Finder, is_audio
from studies.imports.ingest.listed import Listed, Row
from studies.imports.ingest.names import clean, is_litter, natural
from studies.imports.ingest.problems import InvalidInput

# Files that the table names or leaves out for which a row is offered.
OFFERS = 100


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
    # The columns of the given tables, each with the manifest's column it is read as; "" for none.
    mapping: Mapping[str, str] = field(default_factory=dict)
    # Files that the given tables don't name, and their files that are not there, with the one that may be meant.
    left_out: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    hints: Mapping[str, str] = field(default_factory=dict)
    # The rows of the first of them, if they are used all the same.
    offers: Mapping[str, Row] = field(default_factory=dict)
    # The first different values of each column, and the column of a manifest that an ignored one may mean.
    examples: Mapping[str, Sequence[str]] = field(default_factory=dict)
    suggestions: Mapping[str, str] = field(default_factory=dict)
    layout: str = ""
    parts: tuple[Part, ...] = ()
    # Both, where two are about as likely; empty otherwise.
    readings: tuple[Reading, ...] = ()

    @property
    def ignored(self) -> list[str]:
        """The columns of the table that are not read."""
        return [name for name, column in self.mapping.items() if not column]


def propose(
    names: Sequence[str],
    tables: bytes | Sequence[bytes] | None = None,
    chosen: Mapping[str, str] | None = None,
    layout: str = "",
) -> Proposal:
    """Return a row for each audio file among `names`, sorted as people count.

    With tables, only their files get rows, in their order, and their values come before those read from names.
    `chosen` maps columns of the tables to those of a manifest, instead of what their names suggest; `layout` says what
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
    contents = [tables] if isinstance(tables, bytes) else tables or ()
    listed = Listed(contents, Finder([name.file for name in parsed.all]), chosen or {}) if contents else None
    guesses = [{row["file"]: row for row in layouts.rows(parsed, each)} for each in likely]
    offers = [(str(each), _rows(rows, listed)) for each, rows in zip(likely, guesses, strict=True)]
    first, rows = offers[0]
    is_open = len(offers) == 2 and rows != offers[1][1]
    proposal = Proposal(
        tuple(rows),
        layout=first,
        parts=tuple(_parts(parsed, likely[0])),
        readings=tuple(Reading(each, _example(theirs, rows)) for each, theirs in offers) if is_open else (),
    )
    return proposal if listed is None else _with_table(proposal, listed, guesses[0])


def _with_table(proposal: Proposal, listed: Listed, guesses: Mapping[str, Row]) -> Proposal:
    """Add what the tables say to a proposal, and what fits nowhere."""
    used = {row["file"] for row in proposal.rows}
    hints = {name: near for name in listed.missing if (near := listed.finder.near(name)) and near not in used}
    left_out = tuple(file for file in guesses if file not in used)
    return replace(
        proposal,
        mapping=listed.mapping,
        left_out=left_out,
        missing=tuple(listed.missing),
        hints=hints,
        examples=listed.examples,
        suggestions=listed.suggestions,
        offers=_offers(guesses, listed, hints, left_out),
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


def _rows(guesses: Mapping[str, Row], listed: Listed | None) -> list[Row]:
    """Return the rows of a layout, with the values of the tables."""
    if listed is None:
        return list(guesses.values())
    return [{**listed.full(guesses[file], values), "file": file} for file, values in listed.rows]


def _offers(
    guesses: Mapping[str, Row], listed: Listed, hints: Mapping[str, str], spare: Sequence[str]
) -> dict[str, Row]:
    """Return the rows that some files would get: those that may be meant by missing ones, and those without a row."""
    meant = ((name, file, listed.missing[name]) for name, file in islice(hints.items(), OFFERS))
    unnamed: list[tuple[str, str, Row]] = [(file, file, {}) for file in spare[:OFFERS]]
    return {name: {**listed.full(guesses[file], values), "file": file} for name, file, values in (*unnamed, *meant)}

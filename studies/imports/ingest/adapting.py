"""Turn any table, or names only, into the manifest of an import; find the table next to the clips."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence

from core.text.words import joined, say
from studies.imports.ingest import guess, manifest, table
from studies.imports.ingest.guess import Proposal
from studies.imports.ingest.problems import ImportProblem, InvalidInput

TABLES = re.compile(r"\.(csv|tsv|jsonl|lst|scp)$|(^|/)(metadata|manifest|filelists?|transcripts?)\.txt$", re.IGNORECASE)
NAMED = re.compile(r"(^|/)(manifest|metadata)\.(csv|tsv|jsonl)$", re.IGNORECASE)
# Lists that belong to the clips, too, but don't name them.
OTHERS = re.compile(r"(questions?|golden[^/]*)\.(csv|tsv)$", re.IGNORECASE)


class Ambiguous(InvalidInput):
    """Names that can be read in two ways; `readings` has both."""

    def __init__(self, readings: Sequence[guess.Reading]) -> None:
        first, second = (reading.layout for reading in readings)
        super().__init__(
            say(
                "The names of the files can be read as {first} or as {second}. Add a column “system” to the table.",
                first=first,
                second=second,
            )
        )
        self.readings = readings


def table_of(names: Sequence[str], read: Callable[[str], bytes]) -> list[str]:
    """Return the table that describes the clips; several where none is better than the others.

    It is called manifest or metadata, is the only one, or names the most files.
    """
    tables = [name for name in names if TABLES.search(name) and not OTHERS.search(name)]
    named = [name for name in tables if NAMED.search(name)]
    if len(named) == 1:
        return named
    tables = named or tables
    if len(tables) < 2:
        return tables
    counts = Counter({name: _rows(read(name), names) for name in tables})
    most = max(counts.values())
    return [name for name, count in counts.items() if count == most]


def _rows(content: bytes, names: Sequence[str]) -> int:
    try:
        return len(guess.propose(names, content, layout="text").rows)
    except InvalidInput:
        return 0


def is_manifest(content: bytes) -> bool:
    """Return whether a table has the columns that a manifest requires."""
    try:
        text, _warning = table.lines(content, manifest.KIND)
        _number, header = next(table.records(text, manifest.KIND), (1, []))
    except InvalidInput:
        return False
    return {cell.strip().lower() for cell in header} >= set(manifest.KIND.required)


def adapted(content: bytes, names: Sequence[str]) -> tuple[bytes, list[ImportProblem]]:
    """Return the manifest that a table is read as, with warnings of what is left out of it.

    Raises `InvalidInput` if it names none of the files, and `Ambiguous`.
    """
    proposal = guess.propose(names, content)
    if proposal.readings:
        raise Ambiguous(proposal.readings)
    return guess.as_manifest(proposal.rows), list(left_out(proposal))


def keeping(content: bytes, names: Collection[str]) -> bytes:
    """Return a manifest that keeps columns of these names, as `x_<name>`; raise `InvalidInput` if one is missing."""
    text, _warning = table.lines(content, manifest.KIND)
    rows = [cells for _number, cells in table.records(text, manifest.KIND)]
    header = [cell.strip() for cell in rows[0]] if rows else []
    check_kept(names, header)
    out = io.StringIO()
    csv.writer(out).writerows([[manifest.extra_column(name) if name in names else name for name in header], *rows[1:]])
    return out.getvalue().encode()


def check_kept(names: Collection[str], header: Collection[str]) -> None:
    """Raise `InvalidInput` if a column to keep isn't in the table."""
    for name in names:
        if name not in header:
            raise InvalidInput(
                say("The table has no column “{name}”. Its columns are {names}.", name=name, names=", ".join(header))
            )


def left_out(proposal: Proposal) -> Iterator[ImportProblem]:
    """Warn of columns of the table that aren't read, and of its files that aren't there; raise if none is."""
    hints = proposal.hints
    if not proposal.rows:
        name = proposal.missing[0] if proposal.missing else ""
        sentence = say("None of the files that the table names is there, for example {name}.", name=name)
        raise InvalidInput(joined(sentence, *_meant(hints.get(name))))
    for column in proposal.ignored:
        reason = say("The column “{name}” is unknown and was ignored.", name=column)
        yield ImportProblem(1, "", column, reason, warning=True)
    for name in proposal.missing:
        sentence = say("The table names this file, but it isn't there. It was left out.")
        yield ImportProblem(0, name, "file", joined(sentence, *_meant(hints.get(name))), warning=True)


def _meant(name: str | None) -> list[str]:
    return [say("Did you mean {name}?", name=name)] if name else []

"""Tables that describe files: which files they name, and what they say of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

from core.text.words import say
from studies.imports.ingest import columns, manifest, table
from studies.imports.ingest.finding import Finder
from studies.imports.ingest.name_words import HUMAN, is_human, role_of
from studies.imports.ingest.problems import InvalidInput

Row = dict[str, str]
# Values shown of a column, and their characters.
EXAMPLES, LONGEST_EXAMPLE = 3, 60
# Columns by which a table that names no file belongs to the clips.
KEYS = ("text_id", "system", "voice")


class Listed:
    """One or more tables as one: rows of the same file are joined; a table of texts, systems or voices adds to them.

    Where two tables give a file's column, the first counts. Raises `InvalidInput` if none names files.
    """

    def __init__(self, contents: Sequence[bytes], finder: Finder, chosen: Mapping[str, str]) -> None:
        self.finder = finder
        tables = [_Table(content, finder, chosen) for content in contents]
        if not any(each.names_files for each in tables):
            names = ", ".join(dict.fromkeys(name for each in tables for name in each.mapping))
            raise InvalidInput(
                say(
                    "No column of the table names the files. Its columns are {names}. Call the one with files “file”.",
                    names=names,
                )
            )
        self.mapping: dict[str, str] = {}
        self.examples: dict[str, list[str]] = {}
        self.suggestions: dict[str, str] = {}
        joined: dict[str, Row] = {}
        missing: dict[str, Row] = {}
        for each in tables:
            self.mapping |= {name: column for name, column in each.mapping.items() if not self.mapping.get(name)}
            self.examples = {**each.examples, **self.examples}
            self.suggestions = {**each.suggestions, **self.suggestions}
        # A table of texts may have ids that are names of files, too: it doesn't add files to those of other tables.
        has_sure = any(each.is_sure for each in tables)
        for each in sorted(tables, key=lambda each: not each.is_sure):
            is_adding = each.is_sure or not has_sure
            for file, values in each.rows:
                if is_adding or file in joined:
                    joined[file] = {**values, **joined.get(file, {})}
            missing |= {name: values for name, values in each.missing if is_adding and name not in missing}
        # A single table may name a file twice, which the import refuses with its row.
        self.rows = tables[0].rows if len(tables) == 1 else list(joined.items())
        self.missing = missing
        self._lookups = [(each.key, each.facts) for each in tables if each.facts]

    def full(self, guess: Row, values: Row) -> Row:
        """Return a row: what the tables say of the file, what they say of its text or system, what its name says."""
        row = {**guess, **values}
        for key, facts in self._lookups:
            row = {**row, **facts.get(row.get(key, ""), {}), **values}
        return row


class _Table:
    """One table: its mapping, and the values of each file or, without files, of each text, system or voice."""

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
        self.examples = {name: _first(listed, place) for place, name in enumerate(header) if name}
        taken = set(self.mapping.values())
        near = {name: columns.known_near(name, taken) for name, column in self.mapping.items() if not column}
        self.suggestions = {name: column for name, column in near.items() if column}
        self.names_files = "file" in taken
        # True if a column is called so, not only filled with what may be names of files.
        self.is_sure = any(
            column == "file" and (name in chosen or columns.column_of(name) == "file")
            for name, column in self.mapping.items()
        )
        self.key = next((key for key in KEYS if key in taken), "")
        self.rows: list[tuple[str, Row]] = []
        self.missing: list[tuple[str, Row]] = []
        self.facts: dict[str, Row] = {}
        self._read([self._values(header, cells) for cells in listed])

    def _values(self, header: Sequence[str], cells: Sequence[str]) -> Row:
        pairs = zip(header, cells, strict=False)
        return {self.mapping[name]: cell for name, cell in pairs if self.mapping.get(name) and cell}

    def _read(self, listed: Sequence[Row]) -> None:
        if not self.names_files:
            for values in map(self._meant, listed):
                if value := values.get(self.key):
                    self.facts.setdefault(value, values)
            return
        matches: dict[str, int] = {}
        found = []
        for values in listed:
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
                self.missing.append((name, self._meant(values)))

    def _meant(self, values: Row) -> Row:
        """Write role, system and prompt as a manifest does, where their meaning is plain."""
        if "role" in values:
            values["role"] = role_of(values["role"]) or values["role"].lower()
        if is_human(values.get("system", "")):
            values["system"] = HUMAN
        if "prompt_file" in values:
            values["prompt_file"] = self.finder.find(values["prompt_file"]) or values["prompt_file"]
        return values


def _first(rows: Sequence[Sequence[str]], place: int) -> list[str]:
    """Return the first different values of a column, shortened."""
    cells = (row[place] for row in rows[: columns.SAMPLE] if place < len(row) and row[place])
    return [cell[:LONGEST_EXAMPLE] for cell in islice(dict.fromkeys(cells), EXAMPLES)]

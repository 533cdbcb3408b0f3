"""Read a manifest: one row for each clip."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field

from core.text.words import joined, say
from studies.imports.ingest import table
from studies.imports.ingest.names import clean, folded
from studies.imports.ingest.problems import ImportProblem, InvalidInput
from studies.rules.expected import bounds

ROLES = ("test", "trap_flawed", "trap_human", "training", "reference", "anchor", "prompt")
BOXES = ("white", "black")
SEEN = ("yes", "no")
TRAPS = ("trap_flawed", "trap_human")


@dataclass(frozen=True, slots=True)
class ManifestRow:
    """One clip in the manifest."""

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
    prompt_file: str = ""
    seen: str = ""
    expected: str = ""
    # Columns that are kept as they are: {name without `x_`: value}.
    extra: Mapping[str, str] = field(default_factory=dict)


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
    "prompt_file": 500,
    "seen": 20,
    "expected": 40,
}
# Columns that are kept without a meaning, and exported under the same name.
EXTRA = "x_"
EXTRA_COLUMN = re.compile(rf"{EXTRA}[\w.-]{{1,60}}")
KIND = table.TableKind(
    "manifest",
    say("The manifest"),
    LONGEST,
    ("file", "system", "role"),
    frozenset({"text"}),
    ignores_unknown=True,
    extra=EXTRA_COLUMN,
)
COLUMNS = KIND.columns
# Names that R or pandas don't read as text: missing values, and numbers with leading zeros.
MISREAD = re.compile(r"na|n/a|nan|none|null|0\d+", re.IGNORECASE)


def extra_column(name: str) -> str:
    """Return the column that keeps one of another name: x_mos for MOS."""
    word = re.sub(r"[^\w.-]+", "_", name.strip().lower().removeprefix(EXTRA)).strip("_")
    return f"{EXTRA}{word[:60] or 'column'}"


@dataclass(frozen=True)
class Manifest:
    """The valid rows, the problems of the others, and every file and text in the manifest."""

    rows: tuple[ManifestRow, ...]
    problems: tuple[ImportProblem, ...]
    files: Set[str] = frozenset()
    texts: Set[str] = frozenset()


def read(content: bytes) -> Manifest:
    """Read a manifest CSV; errors become problems, never exceptions."""
    reader = _ManifestReader()
    problems = table.read(content, KIND, reader.take)
    return Manifest(tuple(reader.rows), tuple(problems), reader.numbers.keys(), reader.text_ids)


class _ManifestReader:
    """Collects rows; remembers files and texts to compare them across rows."""

    def __init__(self) -> None:
        self.rows: list[ManifestRow] = []
        # The first row of each file, and the file of each folded name that isn't a file's own.
        self.numbers: dict[str, int] = {}
        self.folded: dict[str, str] = {}
        self.texts: dict[str, tuple[int, str]] = {}
        self.text_ids: set[str] = set()
        self.systems: set[str] = set()
        # Equal values are kept once: most columns have few different ones.
        self.values: dict[str, str] = {}

    def take(self, record: table.CsvRecord) -> list[ImportProblem]:
        """Check one record, and keep it if it is valid."""
        values, reasons = record.values, record.reasons
        file = values.get("file", "")
        if file and all(column != "file" for column, _ in reasons):
            try:
                file = values["file"] = clean(file)
            except InvalidInput as error:
                reasons.append(("file", str(error)))
        reasons += [*_unknown(values), *self._compared(record.number, values)]
        if not reasons:
            shared = {
                column: value if column == "file" else self.values.setdefault(value, value)
                for column, value in values.items()
            }
            extra = {name.removeprefix(EXTRA): value for name, value in shared.items() if name not in LONGEST and value}
            known = {name: value for name, value in shared.items() if name in LONGEST}
            self.rows.append(ManifestRow(record.number, **known, extra=extra))
        problems = [ImportProblem(record.number, file, column, reason) for column, reason in reasons]
        return [*problems, *self._misread(record.number, file, values.get("system", ""))]

    def _misread(self, number: int, file: str, system: str) -> Iterator[ImportProblem]:
        """Warn once of a system whose name other programs read as something else in exports."""
        if system in self.systems:
            return
        self.systems.add(system)
        if MISREAD.fullmatch(system):
            reason = say("R and pandas read the system’s name “{name}” as a missing value or a number.", name=system)
            advice = say("Give the system another name, for example “system {name}”.", name=system)
            yield ImportProblem(number, file, "system", joined(reason, advice), warning=True)

    def _compared(self, number: int, values: dict[str, str]) -> Iterator[tuple[str, str]]:
        """Yield problems that only a comparison with earlier rows shows."""
        file, text = values.get("file", ""), values.get("text", "")
        plain = folded(file)
        before = self.folded.get(plain) or (plain if plain in self.numbers else None)
        if before is None:
            self.numbers[file] = number
            if plain != file:
                self.folded[plain] = file
        elif file:
            row = self.numbers[before]
            differs = say(
                "The file is already in row {row} as {name}; names must differ in more than upper and lower case.",
                row=row,
                name=before,
            )
            yield "file", say("The file is already in row {row}.", row=row) if before == file else differs
        if text and not values.get("text_id"):
            # The same words are the same text, so that nobody hears them twice.
            values["text_id"] = f"text-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
        self.text_ids.add(values.get("text_id", ""))
        if text and values["text_id"]:
            row, first = self.texts.setdefault(values["text_id"], (number, text))
            if first != text:
                name = values["text_id"]
                reason = say(
                    "The text_id {name} has another text in row {row}. Give each text its own.", name=name, row=row
                )
                yield "text", reason


def _unknown(values: dict[str, str]) -> Iterator[tuple[str, str]]:
    role, box, seen = (values.get(column, "") for column in ("role", "box", "seen"))
    if role and role not in ROLES:
        yield "role", say("“{value}” is not a role. Known roles are {known}.", value=role, known=", ".join(ROLES))
    if box and box not in BOXES:
        yield "box", say("“{value}” is not a box. Write white or black, or leave it empty.", value=box)
    if seen and seen not in SEEN:
        reason = say(
            "“{value}” is neither yes nor no. Write yes if the system was trained on the benchmark, no if it wasn’t, "
            "or leave it empty.",
            value=seen,
        )
        yield "seen", reason
    yield from _wrong_expectation(role, values.get("expected", ""))


def _wrong_expectation(role: str, expected: str) -> Iterator[tuple[str, str]]:
    if expected and bounds(expected) is None:
        reason = say(
            "“{value}” is no expected answer. Write a point of the scale, such as 2, or a range, such as 4.. or ..2 or "
            "2..3.",
            value=expected,
        )
        yield "expected", reason
    elif expected and role not in TRAPS:
        yield "expected", say("Only traps (trap_flawed, trap_human) have an expected answer. Leave it empty.")

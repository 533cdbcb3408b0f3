"""Read questions on passages, and golden questions, which anybody can answer: one row for each."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from core.text.words import say
from studies.imports.ingest import table
from studies.imports.ingest.problems import ImportProblem
from studies.rules.text import ERRORS, FEWEST, MOST, MOST_DISTRACTORS
from studies.task_types.base import Option

LONGEST_QUESTION, LONGEST_OPTION = 1000, 500
# Prefix of the names of golden questions; the others have their passage.
GOLDEN = "golden"

_NUMBERS = range(1, MOST_DISTRACTORS + 1)
_OPTIONS = {"question": LONGEST_QUESTION, "correct": LONGEST_OPTION}
QUESTIONS = table.TableKind(
    "questions",
    say("The file of questions"),
    {
        "passage": 200,
        **_OPTIONS,
        **{f"distractor_{n}{end}": most for n in _NUMBERS for end, most in (("", LONGEST_OPTION), ("_error", 20))},
    },
    ("passage", "question", "correct"),
)
GOLDEN_QUESTIONS = table.TableKind(
    GOLDEN,
    say("The file of golden questions"),
    {**_OPTIONS, **{f"distractor_{n}": LONGEST_OPTION for n in _NUMBERS}},
    ("question", "correct"),
)


@dataclass(frozen=True)
class QuestionRow:
    """One question; the first option is the right one. A golden question has no passage."""

    number: int
    prompt: str
    options: tuple[Option, ...]
    passage: str = ""


@dataclass(frozen=True)
class Questions:
    """The valid rows, problems and warnings, and for each passage its first row and number of questions."""

    kind: table.TableKind
    rows: tuple[QuestionRow, ...]
    problems: tuple[ImportProblem, ...]
    passages: Mapping[str, tuple[int, int]] = field(default_factory=dict)


def read(content: bytes) -> Questions:
    """Read the CSV of the questions on passages; errors become problems, never exceptions."""
    return _read(content, QUESTIONS)


def read_golden(content: bytes) -> Questions:
    """Read the CSV of golden questions; errors become problems, never exceptions."""
    return _read(content, GOLDEN_QUESTIONS)


def fits(questions: Questions, known: Collection[str], earlier_counts: Mapping[str, int]) -> list[ImportProblem]:
    """Return problems with the `known` passages and how many questions each already has."""
    reasons: list[tuple[int, str]] = []
    for passage, (row, number) in questions.passages.items():
        count = number + earlier_counts.get(passage, 0)
        if passage not in known:
            reasons.append((row, unknown(passage)))
        elif not FEWEST <= count <= MOST:
            reasons.append((row, miscounted(passage, count)))
    return [ImportProblem(row, "", "passage", reason, table=questions.kind.table) for row, reason in reasons]


def unknown(passage: str) -> str:
    """Return what is wrong with a passage that no clip has."""
    return say("No clip has the passage {name}: it is not a text_id of the manifest or the study.", name=passage)


def miscounted(passage: str, count: int) -> str:
    """Return what is wrong with a passage's number of questions."""
    return say(
        "The number of questions on the passage {name} is {number}; {fewest} to {most} are needed.",
        name=passage,
        number=count,
        fewest=FEWEST,
        most=MOST,
    )


def same(text: str) -> str:
    """Return a form that is equal for texts that differ only in case or spacing."""
    return " ".join(unicodedata.normalize("NFC", text).split()).casefold()


def _read(content: bytes, kind: table.TableKind) -> Questions:
    reader = _QuestionReader(kind)
    problems = table.read(content, kind, reader.take)
    return Questions(kind, tuple(reader.rows), tuple(problems), reader.passages)


class _QuestionReader:
    """Collects rows; remembers what was asked, to compare it across rows."""

    def __init__(self, kind: table.TableKind) -> None:
        self.kind = kind
        self.rows: list[QuestionRow] = []
        self.prompts: dict[tuple[str, str], int] = {}
        self.passages: dict[str, tuple[int, int]] = {}

    def take(self, record: table.CsvRecord) -> list[ImportProblem]:
        """Check one record, and keep it if it is valid."""
        values = {column: table.unquoted(value) for column, value in record.values.items()}
        passage, prompt = values.get("passage", ""), values.get("question", "")
        options = list(_options(values))
        reasons = [*record.reasons, *_wrong(values, self.kind), *self._compared(record.number, passage, prompt)]
        if not reasons:
            right = Option(values["correct"])
            distractors = (Option(text, error) for _column, text, error in options)
            self.rows.append(QuestionRow(record.number, prompt, (right, *distractors), passage))
        if passage:
            row, count = self.passages.get(passage, (record.number, 0))
            self.passages[passage] = (row, count + 1)
        reported = [(column, reason, False) for column, reason in reasons]
        reported += [(column, reason, True) for column, reason in _alike(options)]
        return [ImportProblem(record.number, "", *each, table=self.kind.table) for each in reported]

    def _compared(self, number: int, passage: str, prompt: str) -> Iterator[tuple[str, str]]:
        """Yield problems that only a comparison with earlier rows shows."""
        if passage == GOLDEN:
            yield "passage", say("“golden” is reserved for golden questions. Give the passage another text_id.")
        row = self.prompts.setdefault((passage, same(prompt)), number)
        if prompt and row != number:
            yield "question", say("The same question is asked in row {row}.", row=row)


def _options(values: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Yield (column, text, error) of each distractor that is given."""
    for number in _NUMBERS:
        column = f"distractor_{number}"
        if values.get(column):
            yield column, values[column], values.get(f"{column}_error", "")


def _wrong(values: Mapping[str, str], kind: table.TableKind) -> Iterator[tuple[str, str]]:
    """Yield the problems of a question's options."""
    options = list(_options(values))
    if not options:
        yield "distractor_1", say("The question has no distractor: there is nothing to choose between.")
    seen = {same(values["correct"]): ""} if values.get("correct") else {}
    for column, text, _error in options:
        before = seen.setdefault(same(text), column)
        if not before:
            yield column, say("The {column} is the same as the right answer.", column=column)
        elif before != column:
            yield column, say("The {column} is the same as {other}.", column=column, other=before)
    if kind is QUESTIONS:
        yield from _wrong_errors(values)


def _wrong_errors(values: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    known = ", ".join(ERRORS)
    for number in _NUMBERS:
        column, error = f"distractor_{number}_error", values.get(f"distractor_{number}_error", "")
        if not values.get(f"distractor_{number}"):
            if error:
                yield column, say("The {column} belongs to an empty distractor.", column=column)
        elif not error:
            yield column, say("The {column} is empty. Known types of error are {known}.", column=column, known=known)
        elif error not in ERRORS:
            yield column, say("“{value}” is not a type of error. Known types are {known}.", value=error, known=known)


def _alike(options: list[tuple[str, str, str]]) -> Iterator[tuple[str, str]]:
    """Yield a warning for each distractor whose error is that of one before."""
    seen: dict[str, str] = {}
    for column, _text, error in options:
        before = seen.setdefault(error, column)
        if error and before != column:
            yield (
                f"{column}_error",
                say("The {column} has the same type of error as {other}.", column=column, other=before),
            )

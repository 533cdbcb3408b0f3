"""Lists of questions as a researcher writes them, one a line, in the study's language and its translations."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from pydantic import ValidationError

from core.spec import problems
from core.text.words import say

if TYPE_CHECKING:
    from studies.definition.definition import Definition

LONGEST_QUESTION = 300
LONGEST_CHOICE = 200
MOST_CHOICES = 20


@dataclass(frozen=True, slots=True)
class ListedQuestion:
    """One question; without choices, raters answer in their own words."""

    text: str
    choices: tuple[str, ...] = ()
    right: int | None = None


def parse(line: str) -> ListedQuestion:
    """Read one line, "Question | *right | wrong | wrong"; raises `ValueError` with what is wrong."""
    text, *parts = [unicodedata.normalize("NFC", part.strip()) for part in line.split("|")]
    if not text:
        raise ValueError(f"“{line.strip()}” has no question before the first bar")
    if len(text) > LONGEST_QUESTION:
        raise ValueError(f"“{text[:40]}…” is longer than {LONGEST_QUESTION} characters")
    stars = [number for number, part in enumerate(parts) if part.startswith("*")]
    if len(stars) > 1:
        raise ValueError(f"“{text}” has more than one right answer: put a star before only one")
    choices = tuple(part.removeprefix("*").strip() for part in parts)
    if len(choices) == 1:
        raise ValueError(f"“{text}” has only one choice: write two or more, or none")
    if len(choices) > MOST_CHOICES:
        raise ValueError(f"“{text}” has more than {MOST_CHOICES} choices")
    for choice in choices:
        if not choice:
            raise ValueError(f"“{text}” has an empty choice")
        if len(choice) > LONGEST_CHOICE:
            raise ValueError(f"a choice of “{text}” is longer than {LONGEST_CHOICE} characters")
        if choices.count(choice) > 1:
            raise ValueError(f"“{text}” has the choice “{choice}” twice")
    return ListedQuestion(text, choices, stars[0] if stars else None)


def read(lines: Sequence[str]) -> tuple[ListedQuestion, ...]:
    """Read all lines, in their order; raises `ValueError` for a line that can't be read or a question asked twice."""
    questions = tuple(parse(line) for line in lines)
    texts = [question.text for question in questions]
    for text in texts:
        if texts.count(text) > 1:
            raise ValueError(f"the question “{text}” is there twice")
    return questions


@dataclass(frozen=True, slots=True)
class QuestionList:
    """A list of questions: its setting, and whether the answers decide if a rater may continue."""

    group: str
    field: str
    label: str
    decides: bool = False
    # The setting that switches it on; without one, a list that isn't empty is asked.
    switch: str = ""

    @property
    def name(self) -> str:
        """Return the dotted setting, which translations also use as a key."""
        return f"{self.group}.{self.field}"

    def own(self, definition: Definition) -> tuple[str, ...]:
        """Return its lines in the study's own language."""
        lines: tuple[str, ...] = getattr(getattr(definition, self.group), self.field)
        return lines

    def written(self, definition: Definition, language: str) -> tuple[str, ...]:
        """Return its lines in another language; none where it is not translated."""
        translation = definition.translations.get(language)
        return translation.questions.get(self.name, ()) if translation else ()

    def unreadable(self, definition: Definition, lines: Sequence[str]) -> Iterator[str]:
        """Yield what the original's own rules say against such lines."""
        group = getattr(definition, self.group)
        try:
            group.model_validate({**group.model_dump(), self.field: lines})
        except ValidationError as error:
            yield from problems(error.errors()).values()

    def is_asked(self, definition: Definition) -> bool:
        is_off = bool(self.switch) and getattr(getattr(definition, self.group), self.switch) == "off"
        return bool(self.own(definition)) and not is_off

    def is_missing(self, definition: Definition, language: str) -> bool:
        """Return whether it is asked, but missing in this language."""
        return self.is_asked(definition) and not self.written(definition, language)

    def misfits(self, definition: Definition, language: str) -> list[str]:
        """Return how the list in this language, if there is one, differs from the original."""
        written = self.written(definition, language)
        return list(differences(self.own(definition), written)) if written else []

    def spoken(self, definition: Definition, language: str) -> str:
        """Return the language in which raters of this language read it: the study's own unless a list fits."""
        is_fit = self.written(definition, language) and not self.misfits(definition, language)
        return language if is_fit else definition.texts.language


# In the order raters meet them.
INSTRUCTIONS = QuestionList(
    "screening", "questions", say("Questions on the instructions"), decides=True, switch="comprehension"
)
ATTENTION = QuestionList("screening", "attention", say("Attention checks"), decides=True)
AFTERWARDS = QuestionList("questionnaire", "questions", say("Your own questions after the ratings"))
LISTS = (INSTRUCTIONS, ATTENTION, AFTERWARDS)
BY_NAME = {each.name: each for each in LISTS}


def asking(definition: Definition, language: str) -> Definition:
    """Return a definition with its lists in this language, each where a translation of it fits."""
    translated: dict[str, dict[str, tuple[str, ...]]] = {}
    for each in LISTS:
        if each.spoken(definition, language) != definition.texts.language:
            translated.setdefault(each.group, {})[each.field] = each.written(definition, language)
    groups = {group: getattr(definition, group).model_copy(update=fields) for group, fields in translated.items()}
    return definition.model_copy(update=groups)


def differences(own: Sequence[str], other: Sequence[str]) -> Iterator[str]:
    """Yield a sentence for each line whose answers don't correspond in both lists."""
    both = zip_longest(read(own), read(other))
    for line, (original, translated) in enumerate(both, start=1):
        if translated is None:
            yield say("Line {line} is missing.", line=line)
        elif original is None:
            yield say("Line {line} is one too many.", line=line)
        elif len(translated.choices) != len(original.choices):
            counts = {"number": len(translated.choices), "wanted": len(original.choices)}
            yield say("Line {line} has {number} answers, and the original has {wanted}.", line=line, **counts)
        elif translated.right != original.right:
            yield _stars(line, original.right, translated.right)


def _stars(line: int, own: int | None, other: int | None) -> str:
    if own is None:
        return say("Line {line} has a star, and the original has none.", line=line)
    if other is None:
        return say("Line {line} has no star; the original has it before answer {wanted}.", line=line, wanted=own + 1)
    places = {"number": other + 1, "wanted": own + 1}
    return say(
        "Line {line} has its star before answer {number}, and the original before answer {wanted}.", line=line, **places
    )

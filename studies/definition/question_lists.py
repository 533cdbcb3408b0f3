"""The lists of questions of a study, in its own language and its translations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from core.spec import problems
from core.text.words import say
from studies.definition.definition import Definition
from studies.definition.settings import question_lines


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
        return list(question_lines.differences(self.own(definition), written)) if written else []

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


def in_language(definition: Definition, language: str) -> Definition:
    """Return a definition with its lists of questions in this language, each where a translation of it fits."""
    translated: dict[str, dict[str, tuple[str, ...]]] = {}
    for each in LISTS:
        if each.spoken(definition, language) != definition.texts.language:
            translated.setdefault(each.group, {})[each.field] = each.written(definition, language)
    groups = {group: getattr(definition, group).model_copy(update=fields) for group, fields in translated.items()}
    return definition.model_copy(update=groups)

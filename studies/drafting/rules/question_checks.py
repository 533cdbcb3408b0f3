"""Checks of drafted questions: what is refused at once, what a person should look at, and shuffled options."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

import regex

from studies.drafting.rules.answers import AskedQuestion
from studies.drafting.rules.text_checks import Flag
from studies.imports.ingest import questions as ingest
from studies.rules.text import ERRORS
from studies.task_types.base import Option

# As in the paper: the right answer, two distractors, and Other, which the task adds.
DISTRACTORS = 2
TRIES = 4
END = regex.compile(r"[\p{P}\s]+$|^[\p{P}\s]+")


@dataclass(frozen=True, slots=True)
class DraftedQuestion:
    """A question that passed: the first option is the right one."""

    prompt: str
    options: tuple[Option, ...]


def same(text: str) -> str:
    """Return a form that is equal for texts that differ in case, width, spacing or the marks around them alone."""
    return ingest.same(END.sub("", unicodedata.normalize("NFKC", text)))


def refusal(asked: AskedQuestion, *, golden: bool, earlier: Iterable[str]) -> str:
    """Return why a question is refused, as a code of `words.REFUSALS`; "" if it isn't."""
    if len(asked.distractors) != DISTRACTORS:
        return "count"
    question = accepted(asked)
    return next((code for _field, code in problems(question, golden=golden, earlier=earlier)), "")


def problems(question: DraftedQuestion, *, golden: bool, earlier: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield (field, code of `words.REFUSALS`) of what is wrong with a question, whoever wrote it.

    Fields are named as the import's columns.
    """
    right, *others = question.options
    if not golden:
        yield from _error_problems(others)
    texts = {"question": question.prompt, "correct": right.text}
    texts |= {f"distractor_{number}": option.text for number, option in enumerate(others, start=1)}
    seen: dict[str, str] = {}
    for field, text in texts.items():
        if not text.strip():
            yield field, "empty"
        elif len(text) > (ingest.LONGEST_QUESTION if field == "question" else ingest.LONGEST_OPTION):
            yield field, "long"
        elif field != "question" and (before := seen.setdefault(same(text), field)) != field:
            yield field, "equals_answer" if before == "correct" else "same_twice"
    if same(question.prompt) in set(map(same, earlier)):
        yield "question", "asked_before"


def _error_problems(distractors: Sequence[Option]) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for number, option in enumerate(distractors, start=1):
        if option.error not in ERRORS:
            yield f"distractor_{number}_error", "error_type"
        elif option.error in seen and len(distractors) <= len(ERRORS):
            yield f"distractor_{number}_error", "same_error_type"
        seen.add(option.error)


def accepted(asked: AskedQuestion) -> DraftedQuestion:
    """Return the question in the form of the import."""
    distractors = (Option(each.text, each.error if each.error in ERRORS else "") for each in asked.distractors)
    return DraftedQuestion(asked.question, (Option(asked.answer), *distractors))


def flags(question: DraftedQuestion, passage: str) -> list[Flag]:
    """Return what a person should look at in a question about a passage."""
    right, *others = (option.text for option in question.options)
    found = []
    if _words(right) not in _words(passage):
        found.append(Flag("answer_not_in_passage"))
    if also := [other for other in others if len(_words(other)) > 1 and _words(other) in _words(passage)]:
        found.append(Flag("distractor_in_passage", also[0][:100]))
    return found


def guess_flags(right: int, tries: int, *, golden: bool) -> list[Flag]:
    """Flag a question that three of four tries answer without its passage, or a golden one that not all answer."""
    if not tries:
        return []
    if golden:
        return [Flag("not_always_known", f"{right}/{tries}")] if right < tries else []
    return [Flag("guessed", f"{right}/{tries}")] if 4 * right >= 3 * tries else []


def shuffled(question: DraftedQuestion, seed: str) -> tuple[str, int]:
    """Return the options as a numbered list in an order of this seed, and the number of the right one."""
    order = list(range(len(question.options)))
    Random(seed).shuffle(order)  # noqa: S311
    lines = (f"{number}. {question.options[at].text}" for number, at in enumerate(order, start=1))
    return "\n".join(lines), order.index(0) + 1


def as_json(question: DraftedQuestion) -> list[Mapping[str, str]]:
    return [{"text": option.text, "error": option.error} for option in question.options]


def _words(text: str) -> str:
    """Return the letters and digits of a text, with one space between words."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(regex.findall(r"[\p{L}\p{N}]+", folded))

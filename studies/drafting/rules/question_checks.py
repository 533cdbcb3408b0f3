"""Checks of drafted questions: what is refused at once, what a person should look at, and shuffled options."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypedDict

import regex

from studies.drafting.rules.answers import AskedQuestion
from studies.drafting.rules.text_checks import Flag
from studies.drafting.rules.whole_words import contains, tokens
from studies.imports.ingest import questions as ingest
from studies.rules.text import ERRORS
from studies.task_types.base import Option

# As in the paper: the right answer, two distractors, and Other, which the task adds.
DISTRACTORS = 2
TRIES = 4
# Flags of the tries without the passage: those about their answers, and all. An edit leaves them as they were measured.
GUESSED = frozenset({"guessed", "not_always_known"})
MEASURED = GUESSED | {"few_tries"}
# The task adds Other; and options that speak of the others can't be shuffled. In the form of `same`.
OF_OTHERS = regex.compile(
    r"(the )?others?( (option|answer)s?)?|(something|anything) else"
    r"|(none|neither|either|both|all|any)( of)? (the )?(above|these|those|them|other options|options|answers|choices)"
    r"|(none|neither|both|all) of the (above|given|other|listed) (options|answers|choices)"
    r"|(not|isn[’']t) (mentioned|stated|given|said|listed)( (here|above|in the (passage|text)))?"
    r"|(i )?(don[’']t|do not) know|(i )?(can[’']t|cannot|can not) (tell|say)|not sure"
    r"|其[他它](选项|答案|内容|情况)?|(以上|上述|上面|前面)?(选项|答案)?[都皆均](不是|不对|不正确|非|是|对|正确|错|有可能)"
    r"|(以上|上述)(选项|答案)?(全部|全)?(都|皆|均)?(不是|不对|不正确|非|是|对|正确|错误?)"
    r"|没有(正确|合适)(的)?(答案|选项)|(文中|段落中?|录音中?)?(没有|未|没)(被)?(提到|提及|说明|说)|不知道|不确定|无法(确定|判断)"
)
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
        elif field != "question" and OF_OTHERS.fullmatch(same(text)):
            yield field, "other_option"
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
    if not contains(passage, right):
        found.append(Flag("answer_not_in_passage"))
    if also := [other for other in others if len("".join(tokens(other))) > 1 and contains(passage, other)]:
        found.append(Flag("distractor_in_passage", also[0][:100]))
    return found


def guess_flags(right: int, tries: int, wanted: int = 0, *, golden: bool) -> list[Flag]:
    """Flag a question that three of four tries answer without its passage, or a golden one that not all answer.

    `tries` are those whose answer could be read. It is flagged, too, if they are fewer than `wanted`.
    """
    found = [Flag("few_tries", f"{tries}/{wanted}")] if tries < wanted else []
    if tries and golden and right < tries:
        found.append(Flag("not_always_known", f"{right}/{tries}"))
    if tries and not golden and 4 * right >= 3 * tries:
        found.append(Flag("guessed", f"{right}/{tries}"))
    return found


def shuffled(question: DraftedQuestion, seed: str) -> tuple[str, int]:
    """Return the options as a numbered list in an order of this seed, and the number of the right one."""
    order = list(range(len(question.options)))
    Random(seed).shuffle(order)  # noqa: S311
    lines = (f"{number}. {question.options[at].text}" for number, at in enumerate(order, start=1))
    return "\n".join(lines), order.index(0) + 1


class StoredOption(TypedDict):
    """An option of a question as it is stored; the right one comes first and has no error."""

    text: str
    error: str


def as_json(question: DraftedQuestion) -> list[StoredOption]:
    return [{"text": option.text, "error": option.error} for option in question.options]

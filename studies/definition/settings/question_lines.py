"""Questions as a researcher writes them, one a line."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from core.text.words import say

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

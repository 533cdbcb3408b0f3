"""A list of questions as a researcher writes it: one a line, choices after bars, a star before the right one."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

LONGEST_QUESTION = 300
LONGEST_CHOICE = 200
MOST_CHOICES = 20


@dataclass(frozen=True, slots=True)
class Question:
    """One question; without choices, it is answered in one's own words."""

    text: str
    choices: tuple[str, ...] = ()
    right: int | None = None


def parse(line: str) -> Question:
    """Read one line, "Question | *right | wrong | wrong"; raises `ValueError` with what is wrong."""
    text, *parts = [unicodedata.normalize("NFC", part.strip()) for part in line.split("|")]
    if not text:
        raise ValueError(f"“{line.strip()}” has no question before the first bar")
    if len(text) > LONGEST_QUESTION:
        raise ValueError(f"“{text[:40]}…” is longer than {LONGEST_QUESTION} characters")
    stars = [number for number, part in enumerate(parts) if part.startswith("*")]
    if len(stars) > 1:
        raise ValueError(f"“{text}” has more than one right answer: put a star before one alone")
    choices = tuple(part.removeprefix("*").strip() for part in parts)
    if len(choices) == 1:
        raise ValueError(f"“{text}” has one choice alone: write two or more, or none")
    if len(choices) > MOST_CHOICES:
        raise ValueError(f"“{text}” has more than {MOST_CHOICES} choices")
    for choice in choices:
        if not choice:
            raise ValueError(f"“{text}” has an empty choice")
        if len(choice) > LONGEST_CHOICE:
            raise ValueError(f"a choice of “{text}” is longer than {LONGEST_CHOICE} characters")
        if choices.count(choice) > 1:
            raise ValueError(f"“{text}” has the choice “{choice}” twice")
    return Question(text, choices, stars[0] if stars else None)


def read(lines: Sequence[str]) -> tuple[Question, ...]:
    """Read all lines, in their order; raises `ValueError` for a line that can't be read or a question asked twice."""
    questions = tuple(parse(line) for line in lines)
    texts = [question.text for question in questions]
    for text in texts:
        if texts.count(text) > 1:
            raise ValueError(f"the question “{text}” is there twice")
    return questions

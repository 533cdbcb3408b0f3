"""Attention checks of the kinds that platforms call fair: what a researcher writes, and which answers pass."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from core.words import say
from studies.presets import question_lines
from studies.presets.question_lines import Question

# No answer in between: whoever reads can only disagree, and both answers that agree fail.
AGREEMENT = (say("Strongly agree"), say("Somewhat agree"), say("Somewhat disagree"), say("Strongly disagree"))
DISAGREEING = frozenset({2, 3})


@dataclass(frozen=True, slots=True)
class Fair:
    """One question: an instruction that names its answer, or a statement that no attentive person agrees with."""

    kind: Literal["instruction", "nonsense"]
    text: str
    choices: tuple[str, ...]
    right: frozenset[int]


def read(lines: Sequence[str]) -> tuple[Fair, ...]:
    """Read all lines, in their order; raises `ValueError` for a line that can't be read."""
    return tuple(_fair(question) for question in question_lines.read(lines))


def _fair(question: Question) -> Fair:
    if not question.choices:
        return Fair("nonsense", question.text, AGREEMENT, DISAGREEING)
    if question.right is None:
        raise ValueError(f"“{question.text}” has answers and no star: put one before the answer that it asks for")
    return Fair("instruction", question.text, question.choices, frozenset({question.right}))


def unfair(lines: Sequence[str]) -> Iterator[str]:
    """Yield what makes a line unfair: an answer that the instruction doesn't name takes more than reading."""
    for fair in read(lines):
        wanted = [fair.choices[place] for place in fair.right]
        if fair.kind == "instruction" and not any(_names(fair.text, choice) for choice in wanted):
            yield f"“{fair.text}” doesn't name its answer: write “{wanted[0]}” into it, word for word"


def _names(text: str, choice: str) -> bool:
    plain, wanted = (re.sub(r"\s+", " ", words).casefold() for words in (text, choice))
    return wanted in plain

"""Attention checks of the kinds that platforms call fair: parse the researcher's lines, and score answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from core.text.words import say
from studies.definition.settings import question_lines
from studies.definition.settings.question_lines import ListedQuestion

# No answer in between: attentive raters disagree, and both answers that agree fail.
AGREEMENT = (say("Strongly agree"), say("Somewhat agree"), say("Somewhat disagree"), say("Strongly disagree"))
DISAGREEING = frozenset({2, 3})
# From here on, in the order of Unicode, are the scripts of China and Japan, which write words without spaces.
UNPARTED = "\u2e80"


@dataclass(frozen=True, slots=True)
class Fair:
    """An attention check: an instruction that names its answer, or a statement that no attentive person agrees with."""

    kind: Literal["instruction", "nonsense"]
    text: str
    choices: tuple[str, ...]
    right: frozenset[int]


def read(lines: Sequence[str]) -> tuple[Fair, ...]:
    """Parse all lines in order; raise `ValueError` for an invalid line."""
    return tuple(_fair(question) for question in question_lines.read(lines))


def _fair(question: ListedQuestion) -> Fair:
    if not question.choices:
        return Fair("nonsense", question.text, AGREEMENT, DISAGREEING)
    if question.right is None:
        raise ValueError(f"“{question.text}” has answers and no star: put one before the answer that it asks for")
    return Fair("instruction", question.text, question.choices, frozenset({question.right}))


def unfair(lines: Sequence[str]) -> Iterator[str]:
    """Yield a problem if an instruction doesn't name its answer: then reading alone is not enough."""
    for fair in read(lines):
        if fair.kind == "nonsense":
            yield from obeyed(fair, AGREEMENT)
            continue
        [wanted] = (fair.choices[place] for place in fair.right)
        # “Disagree” contains “agree”: attentive raters would choose the longer one.
        longer = [choice for choice in fair.choices if choice != wanted and _names(choice, wanted, apart=False)]
        if not _names(fair.text, wanted):
            yield f"“{fair.text}” doesn't name its answer: write “{wanted}” into it, word for word"
        elif other := next((choice for choice in longer if _names(fair.text, choice)), None):
            yield f"“{fair.text}” names “{other}”, and the star is before “{wanted}”"


def obeyed(fair: Fair, scale: Sequence[str]) -> Iterator[str]:
    """Yield a problem if a statement names an answer of its scale: raters who choose that answer would fail."""
    if other := next((choice for choice in scale if _names(fair.text, choice)), None):
        yield f"“{fair.text}” names “{other}”: give it answers of its own, with a star before the one it asks for"


def _names(text: str, choice: str, *, apart: bool = True) -> bool:
    """Say whether a text has these words in it: `apart` from other letters, in scripts that part words."""
    plain, wanted = (re.sub(r"\s+", " ", words).strip().casefold() for words in (text, choice))
    before = r"(?<!\w)" if apart and wanted[0] < UNPARTED else ""
    after = r"(?!\w)" if apart and wanted[-1] < UNPARTED else ""
    return re.search(before + re.escape(wanted) + after, plain) is not None

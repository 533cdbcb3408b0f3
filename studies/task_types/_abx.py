"""Which of two clips is a third one a copy of (ABX)? There is a right answer."""

from __future__ import annotations

from math import exp
from random import Random
from typing import ClassVar

from core.text.words import say
from studies.task_types._comparison import SPREAD, Answer, Comparison, Params
from studies.task_types.base import (
    AnswerRow,
    CodeBreakdown,
    ItemContent,
    Listener,
    Measure,
    Presentation,
    ScoreScale,
)

ANSWERS = {"right": "Right", "wrong": "Wrong"}


class Identification(Comparison):
    """X is A or B, drawn for each trial. Rows are about the item's first clip: the system that isn't the baseline."""

    columns = ("abx",)
    contests = False
    recognises = True
    measure: ClassVar[Measure] = "category"
    score = ScoreScale("ABX", 0.0, 1.0, "%", "abx", ANSWERS, "copies")
    breakdowns = (CodeBreakdown("Answers", "abx", ANSWERS),)

    def activity(self, params: Params) -> tuple[str, ...]:
        return (
            say("Says which clip of a pair a third one is a copy of."),
            *((say("May write what decided it."),) if params.ask_reason else ()),
        )

    def asked(self, params: Params) -> str:
        return say("Listen to three clips at a time and say which of two is the same as the third.")

    def draw(self, params: Params, item: ItemContent, rng: Random) -> Presentation:
        sides = super().draw(params, item, rng).order[1:]
        return Presentation(order=(rng.randrange(2), *sides))

    def rows(self, params: Params, shown: Presentation, answer: Answer) -> list[AnswerRow]:
        x, *sides = shown.order
        is_right = sides[answer.preference > 0] == x
        return [AnswerRow("abx", "right" if is_right else "wrong", float(is_right), 1 + sides.index(0))]

    def simulate(self, params: Params, shown: Presentation, listener: Listener, rng: Random) -> Answer:
        x, *sides = shown.order
        right = 1 if sides[1] == x else -1
        _x, first, second = listener.chances
        heard = 1 - exp(-SPREAD * abs(second - first)) if listener.is_careful else 0.0
        return Answer(preference=right if rng.random() < heard else rng.choice(self.answers))

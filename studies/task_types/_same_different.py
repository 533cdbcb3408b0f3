"""Are two clips the same? Half of the pairs are one clip twice."""

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

ANSWERS = {"different": "Different", "same": "Same"}
HEARD = ScoreScale("Different", 0.0, 1.0, "%", "different", ANSWERS, "differences")
FALSE_ALARMS = ScoreScale("False alarms", 0.0, 1.0, "%", "identical", ANSWERS, "errors")
# Of simulated listeners: how often they call identical clips different.
FALSE_ALARM = 0.15


class SameDifferent(Comparison):
    """In half of the trials, one of both clips twice. Rows of different clips are about the item's first one."""

    columns = (HEARD.part, FALSE_ALARMS.part)
    contests = False
    recognises = True
    traps = False
    measure: ClassVar[Measure] = "category"
    score = HEARD
    outcomes = (HEARD, FALSE_ALARMS)
    breakdowns = (
        CodeBreakdown("Different clips", HEARD.part, ANSWERS),
        CodeBreakdown("Identical clips", FALSE_ALARMS.part, ANSWERS),
    )
    answers = (0, 1)

    def activity(self, params: Params) -> tuple[str, ...]:
        return (
            say("Says whether two clips are the same or different."),
            *((say("May write what decided it."),) if params.ask_reason else ()),
        )

    def asked(self, params: Params) -> str:
        return say("Listen to two clips at a time and say whether they are the same or different.")

    def draw(self, params: Params, item: ItemContent, rng: Random) -> Presentation:
        first, second = super().draw(params, item, rng).order
        return Presentation(order=(first, rng.choice((first, second))))

    def rows(self, params: Params, shown: Presentation, answer: Answer) -> list[AnswerRow]:
        code = "different" if answer.preference else "same"
        is_identical = len(set(shown.order)) == 1
        part, place = ("identical", 0) if is_identical else ("different", shown.order.index(0))
        return [AnswerRow(part, code, float(answer.preference), place)]

    def simulate(self, params: Params, shown: Presentation, listener: Listener, rng: Random) -> Answer:
        if not listener.is_careful:
            return Answer(preference=rng.choice(self.answers))
        first, second = listener.chances
        is_identical = len(set(shown.order)) == 1
        heard = 0.0 if is_identical else 1 - exp(-SPREAD * abs(second - first))
        return Answer(preference=int(rng.random() < heard + (1 - heard) * FALSE_ALARM))

"""Absolute category rating, one to five (ITU-T P.800, annex B; P.808)."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from pydantic import Field

from core.spec import Spec
from core.text.words import say
from studies.task_types.base import AnswerRow, CodeBreakdown, ItemContent, Listener, Presentation, ScoreScale, TaskType

NAMES = {"5": "Excellent", "4": "Good", "3": "Fair", "2": "Poor", "1": "Bad"}


class Params(Spec):
    """What the researcher sets."""

    question: str = Field(
        "How do you rate the overall quality of this recording?",
        min_length=1,
        max_length=300,
        description="Asked above the scale.",
    )
    names: tuple[str, ...] = Field(
        ("Excellent", "Good", "Fair", "Poor", "Bad"),
        min_length=5,
        max_length=5,
        description="Names of the five categories, from the best (5) to the worst (1), one a line.",
    )
    human_trap_least: int = Field(4, ge=1, le=5, description="Lowest rating that passes a human trap.")
    flawed_trap_most: int = Field(2, ge=1, le=5, description="Highest rating that passes a flawed trap.")


class Answer(Spec):
    """What the rater submits."""

    score: int = Field(strict=True, ge=1, le=5)


class Acr(TaskType[Params, Answer]):
    """How good does it sound?"""

    name = "acr"
    label = "Absolute category rating (ACR, 1 to 5)"
    summary = "Each clip on a scale from 1 (Bad) to 5 (Excellent); the mean is the MOS."
    instructions = (
        "Listen to each clip from beginning to end, then say how good it sounds on a scale from 1 to 5. "
        "Judge each clip on its own, and use the whole scale.\n\n"
        "Use headphones if you can, in a quiet place."
    )
    columns = ("score",)
    options = len(NAMES)
    measure = "ordered"
    score = ScoreScale("MOS", 1.0, 5.0, "", "score", NAMES)
    breakdowns = (CodeBreakdown("Ratings", "score", NAMES),)

    def activity(self, params: Params) -> tuple[str, ...]:
        return (say("Rates the clip from 1 to 5."),)

    def asked(self, params: Params) -> str:
        return say("Listen to each clip and rate it from 1 to 5.")

    def draw(self, params: Params, item: ItemContent, rng: Random) -> Presentation:
        return Presentation()

    def problems(self, params: Params, shown: Presentation, answer: Answer) -> dict[str, str]:
        return {}

    def rows(self, params: Params, shown: Presentation, answer: Answer) -> list[AnswerRow]:
        return [AnswerRow("score", str(answer.score), float(answer.score))]

    def passes(self, params: Params, role: str, rows: Sequence[AnswerRow]) -> bool:
        score = rows[0].value or 0.0
        return score >= params.human_trap_least if role == "trap_human" else score <= params.flawed_trap_most

    def simulate(self, params: Params, shown: Presentation, listener: Listener, rng: Random) -> Answer:
        return Answer(score=min(5, max(1, round(rng.gauss(1 + 4 * listener.chance, 0.6)))))

"""Comparison mean opinion score: a system next to a reference of the same text, -3 to +3 (ITU-T P.800, annex E)."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Literal

from pydantic import Field

from core.spec import Spec, labels
from core.text.words import say
from studies.task_types._settings import MAIN_SETTINGS
from studies.task_types.base import (
    HUMAN,
    AnswerRow,
    ClipFact,
    CodeBreakdown,
    ItemContent,
    ItemLayout,
    ItemPlan,
    Listener,
    Presentation,
    QuestionFact,
    ScoreScale,
    TaskType,
    Trouble,
)

NAMES = {
    "+3": "Much better",
    "+2": "Better",
    "+1": "Slightly better",
    "0": "About the same",
    "-1": "Slightly worse",
    "-2": "Worse",
    "-3": "Much worse",
}


class Params(Spec):
    """What the researcher sets."""

    question: str = Field(
        "Which of the two sounds more natural?", min_length=1, max_length=300, description="Asked above the scale."
    )
    order: Literal["drawn", "system_first", "reference_first"] = Field(
        "drawn",
        title="Clip A",
        description="Which clip of a pair is A: drawn for each trial, or always the same. The order is recorded.",
        json_schema_extra=labels(
            drawn="Drawn for each trial", system_first="The system’s", reference_first="The reference"
        ),
    )


class Answer(Spec):
    """What the rater submits: how much better B is than A."""

    preference: int = Field(strict=True, ge=-3, le=3)


class Cmos(TaskType[Params, Answer]):
    """Which of two is better, and by how much?"""

    name = "cmos"
    label = "Comparison (CMOS, −3 to +3)"
    summary = (
        "A system's clip beside the human recording of the same text, from −3 to +3; positive: the system is better."
    )
    instructions = (
        "You will hear two recordings of the same words, A and B. Listen to both from beginning to end, as often as "
        "you like, then say which one sounds more natural, and by how much.\n\n"
        "Use headphones if you can, in a quiet place."
    )
    columns = ("preference",)
    options = len(NAMES)
    shows = "pair"
    score = ScoreScale("CMOS", -3.0, 3.0, "", "preference", NAMES)
    breakdowns = (CodeBreakdown("Preferences", "preference", NAMES),)
    traps = False
    main_settings = (*MAIN_SETTINGS, "task.order")

    def activity(self, params: Params) -> tuple[str, ...]:
        return (say("Says which clip of a pair sounds better, from −3 to +3."),)

    def asked(self, params: Params) -> str:
        return say("Listen to two clips at a time and say which of them sounds better.")

    def balances_sides(self, params: Params) -> bool:
        return params.order == "drawn"

    def layout(self, params: Params, clips: Sequence[ClipFact], questions: Sequence[QuestionFact] = ()) -> ItemLayout:
        """Pair every system's clip with the reference of its text; without one, with the human recording of it."""
        references = {clip.text: clip for clip in clips if clip.role == "test" and clip.system == HUMAN}
        references |= {clip.text: clip for clip in clips if clip.role == "reference"}
        tests = [clip for clip in clips if clip.role == "test" and clip.system != HUMAN]
        problems = tuple(
            Trouble(
                say(
                    "The clip of {system} has no reference to be compared with: its text ({text}) has neither a clip "
                    "whose role is reference nor a human one.",
                    system=clip.system,
                    text=clip.text or say("none is named"),
                ),
                clip.clip,
            )
            for clip in tests
            if not clip.text or clip.text not in references
        )
        if problems:
            return ItemLayout(problems=problems)
        pairs = [(clip, references[clip.text]) for clip in tests]
        return ItemLayout(
            tuple(
                ItemPlan((clip.clip, reference.clip), clip.system, "test", clip.text, clip.dimension)
                for clip, reference in pairs
            )
        )

    def draw(self, params: Params, item: ItemContent, rng: Random) -> Presentation:
        is_swapped = params.order == "reference_first" or (params.order == "drawn" and rng.random() < 0.5)
        return Presentation(order=(1, 0) if is_swapped else (0, 1))

    def problems(self, params: Params, shown: Presentation, answer: Answer) -> dict[str, str]:
        return {}

    def rows(self, params: Params, shown: Presentation, answer: Answer) -> list[AnswerRow]:
        place = shown.order.index(0)
        better = answer.preference if place == 1 else -answer.preference
        return [AnswerRow("preference", f"{better:+d}" if better else "0", float(better), place)]

    def simulate(self, params: Params, shown: Presentation, listener: Listener, rng: Random) -> Answer:
        first, second = listener.chances
        return Answer(preference=min(3, max(-3, round(rng.gauss(4 * (second - first), 0.7)))))

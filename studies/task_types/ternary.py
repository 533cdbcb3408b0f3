"""Human, Unclear or Machine, with a written reason: the Audio Turing Test (ATT paper, section 3.4)."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Literal

from pydantic import Field

from core.spec import Spec
from core.text.words import say
from studies.rules import text
from studies.task_types import _order
from studies.task_types.base import AnswerRow, CodeBreakdown, ItemContent, Listener, Presentation, ScoreScale, TaskType

Label = Literal["human", "unclear", "machine"]
LABELS: tuple[Label, ...] = ("human", "unclear", "machine")
NAMES = {"human": "Human", "unclear": "Unclear", "machine": "Machine"}
VALUES = {"human": 1.0, "unclear": 0.5, "machine": 0.0}
PASSING = {"trap_human": "human", "trap_flawed": "machine"}
PHRASES = {
    "human": "I hear a natural breath and the stress moves the way people speak",
    "unclear": "The melody is natural but one or two joins between words sound odd",
    "machine": "The pauses are all the same length and the tone has a metallic edge",
}


class Params(Spec):
    """What the researcher sets."""

    question: str = Field("Who is speaking?", min_length=1, max_length=300, description="Asked above the labels.")
    reason_question: str = Field(
        "What in the audio made you decide?", min_length=1, max_length=300, description="Asked above the reason."
    )
    reason_required: bool = Field(
        True, title="Written reason", description="Ask for a written reason with every label."
    )
    reason_graphemes: int = Field(
        20,
        ge=0,
        le=500,
        title="Shortest reason",
        description="Shortest reason, in letters and digits; nothing else counts.",
    )
    reason_graphemes_cjk: int = Field(
        8,
        ge=0,
        le=500,
        title="Shortest reason in Chinese, Japanese or Korean",
        description="The same for Chinese, Japanese or Korean text.",
    )
    option_order: _order.Order = Field("fixed", json_schema_extra=_order.ORDERS, description=_order.OF_LABELS)


class Answer(Spec):
    """What the rater submits."""

    label: Label
    reason: str = Field("", max_length=4000)


class Ternary(TaskType[Params, Answer]):
    """Does this voice pass for a person?"""

    name = "ternary"
    label = "Human / Unclear / Machine with a reason"
    columns = ("label",)
    options = len(LABELS)
    measure = "ordered"
    paper, short = "att", "ATT"
    score = ScoreScale("HLS", 0.0, 1.0, "", "label", NAMES)
    breakdowns = (CodeBreakdown("Labels", "label", NAMES),)
    main_settings = (
        "protocol.ratings_wanted",
        "protocol.batches_per_session",
        "protocol.tests_per_batch",
        "task.reason_required",
        "protocol.playback",
        "screening.headphones",
        "crowd.source",
        "payment.rate",
        "payment.minutes",
        "review.mode",
    )

    def activity(self, params: Params) -> tuple[str, ...]:
        reason = say("Writes what decided it, in at least {letters} letters.", letters=params.reason_graphemes)
        return (say("Chooses Human, Unclear or Machine."), *([reason] if params.reason_required else []))

    def asked(self, params: Params) -> str:
        if params.reason_required:
            return say("Listen to each clip, choose Human, Unclear or Machine, and write in a few words why.")
        return say("Listen to each clip and choose Human, Unclear or Machine.")

    def seconds_a_clip(self, params: Params) -> float:
        # ATT paper, section 4.1: 45 to 60 s to evaluate a clip and write why, its duration included.
        return 45.0 if params.reason_required else super().seconds_a_clip(params)

    def draw(self, params: Params, item: ItemContent, rng: Random) -> Presentation:
        return Presentation(public={"options": _order.ordered(LABELS, params.option_order, item.rater)})

    def problems(self, params: Params, shown: Presentation, answer: Answer) -> dict[str, str]:
        if not params.reason_required:
            return {}
        needed = params.reason_graphemes_cjk if text.is_cjk(answer.reason) else params.reason_graphemes
        missing = needed - text.written(answer.reason)
        if missing <= 0:
            return {}
        have = {"needed": needed, "missing": missing}
        return {"reason": say("Please write at least {needed} letters or digits; {missing} to go.", **have)}

    def rows(self, params: Params, shown: Presentation, answer: Answer) -> list[AnswerRow]:
        return [AnswerRow("label", answer.label, VALUES[answer.label])]

    def passes(self, params: Params, role: str, rows: Sequence[AnswerRow]) -> bool:
        return any(row.part == "label" and row.code == PASSING[role] for row in rows)

    def simulate(self, params: Params, shown: Presentation, listener: Listener, rng: Random) -> Answer:
        quality = listener.chance
        doubt = 0.15 * (1 - abs(2 * quality - 1))
        draw = rng.random()
        label: Label = "unclear" if draw < doubt else "human" if rng.random() < quality else "machine"
        return Answer(label=label, reason=f"{PHRASES[label]}, near second {rng.uniform(0.5, 6):.1f}.")

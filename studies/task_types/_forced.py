"""The forced choice of Human or Machine, shared by the Human Fooling Rate and its granular form."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Literal

from pydantic import Field

from core.spec import Spec
from core.text.words import say
from studies.task_types import _order
from studies.task_types.base import AnswerRow, ScoreScale

Label = Literal["human", "machine"]
LABELS: tuple[Label, ...] = ("human", "machine")
NAMES = {"human": "Human", "machine": "Machine"}
SCORE = ScoreScale("HFR", 0.0, 1.0, "%", "label", NAMES)
PASSING = {"trap_human": "human", "trap_flawed": "machine"}


class ForcedParams(Spec):
    """What the researcher sets in both forms."""

    question: str = Field("Who is speaking?", min_length=1, max_length=300, description="Asked above the labels.")
    option_order: _order.Order = Field("fixed", json_schema_extra=_order.ORDERS, description=_order.OF_LABELS)
    ask_reason: bool = Field(False, title="Field for a reason", description="Offer an optional field for a reason.")
    reason_question: str = Field(
        "What in the audio made you decide?", min_length=1, max_length=300, description="Asked above the reason."
    )


class ForcedAnswer(Spec):
    """What the rater submits in both forms."""

    label: Label
    reason: str = Field("", max_length=4000)


def activity(params: ForcedParams, *more: str) -> tuple[str, ...]:
    """Describe the rater's task: a choice, and perhaps a reason."""
    reason = (say("May write what decided it."),) if params.ask_reason else ()
    return (say("Chooses Human or Machine."), *more, *reason)


def row(answer: ForcedAnswer) -> AnswerRow:
    """Return the row of the label."""
    return AnswerRow("label", answer.label, float(answer.label == "human"))


def passes(role: str, rows: Sequence[AnswerRow]) -> bool:
    """Return whether a flawed trap was called Machine, or a human one Human."""
    return any(row.part == "label" and row.code == PASSING[role] for row in rows)


def choice(chance: float, rng: Random) -> Label:
    """Return the label of a rater for whom the clip passes for human with this probability."""
    return "human" if rng.random() < chance else "machine"

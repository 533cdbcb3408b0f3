"""Human or Machine, a forced choice on single clips: the Human Fooling Rate (HFR paper, section 2)."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from core.text.words import say
from studies.task_types import _order
from studies.task_types._forced import (
    LABELS,
    NAMES,
    SCORE,
    ForcedAnswer,
    ForcedParams,
    activity,
    choice,
    passes,
    row,
)
from studies.task_types.base import AnswerRow, CodeBreakdown, ItemContent, Listener, Presentation, TaskType


class Params(ForcedParams):
    """What the researcher sets."""


class Answer(ForcedAnswer):
    """What the rater submits."""


class Hfr(TaskType[Params, Answer]):
    """How often does this voice pass for a person?"""

    name = "hfr"
    label = "Human / Machine"
    columns = ("label",)
    options = len(LABELS)
    measure = "category"
    paper, short = "hfr", "HFR"
    score = SCORE
    breakdowns = (CodeBreakdown("Labels", "label", NAMES),)
    has_quotas = True
    main_settings = (
        "protocol.ratings_wanted",
        "protocol.tests_per_batch",
        "protocol.batches_per_session",
        "protocol.quota_raters",
        "protocol.quota_utterances",
        "protocol.interruption",
        "screening.headphones",
        "crowd.source",
        "payment.rate",
        "payment.minutes",
    )

    def activity(self, params: Params) -> tuple[str, ...]:
        return activity(params)

    def asked(self, params: Params) -> str:
        return say("Listen to each clip and choose Human or Machine.")

    def draw(self, params: Params, item: ItemContent, rng: Random) -> Presentation:
        return Presentation(public={"options": _order.ordered(LABELS, params.option_order, item.rater)})

    def problems(self, params: Params, shown: Presentation, answer: Answer) -> dict[str, str]:
        return {}

    def rows(self, params: Params, shown: Presentation, answer: Answer) -> list[AnswerRow]:
        return [row(answer)]

    def passes(self, params: Params, role: str, rows: Sequence[AnswerRow]) -> bool:
        return passes(role, rows)

    def simulate(self, params: Params, shown: Presentation, listener: Listener, rng: Random) -> Answer:
        return Answer(label=choice(listener.chance, rng))

"""Two clips of one text side by side: which is better?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any, ClassVar

from core.text.words import say
from studies.task_types import _more_questions, _pairs, _references
from studies.task_types._abx import Identification
from studies.task_types._comparison import VARIANTS, Answer, Comparison, Params
from studies.task_types._same_different import SameDifferent
from studies.task_types.base import (
    AnswerRow,
    AnyTaskType,
    ClipFact,
    ItemContent,
    ItemLayout,
    Listener,
    Presentation,
    QuestionFact,
    Trouble,
)

# Share of traps that a careful simulated listener answers correctly.
NOTICED = 0.95


class Compare(Comparison):
    """Comparisons of two systems; the kind of answer decides what is counted."""

    name = "compare"
    label = "Comparison of two systems (A/B)"
    traps: ClassVar[bool] = True

    def of(self, raw: Mapping[str, Any]) -> AnyTaskType:
        reference = raw.get("reference", "none")
        variants: Mapping[Any, type[Comparison]] = {**VARIANTS, "same": SameDifferent}
        variant = Identification if reference == "copy" else variants.get(raw.get("answer"), Comparison)
        bases: tuple[type[Comparison], ...] = (Compare,) if variant is Comparison else (variant, Compare)
        # With X before the pair, there are no traps: flawed and identical pairs have no X.
        attributes: dict[str, Any] = {"leads": 1, "traps": False} if reference != "none" else {}
        if more := raw.get("more"):
            bases = (_more_questions.MoreQuestions, *bases)
            attributes |= _more_questions.outcomes(variant.score, more)
        return self if bases == (Compare,) and not attributes else type(variant.__name__, bases, attributes)()

    def layout(self, params: Params, clips: Sequence[ClipFact], questions: Sequence[QuestionFact] = ()) -> ItemLayout:
        """Add traps, a flawed clip next to a good one and a human trap next to itself; or add X to each pair."""
        layout = super().layout(params, clips, questions)
        if params.reference == "copy" or params.answer == "same":
            return layout
        if params.reference != "none":
            with_x = _references.with_x(clips, layout.items, params.reference)
            return replace(with_x, problems=layout.problems + with_x.problems, warnings=layout.warnings)
        flawed, troubles = _pairs.flawed_pairs(clips)
        identical = _pairs.identical_pairs(clips)
        if identical and "trap_human" not in self.trap_roles:
            reason = say(
                "Human traps are left out: two identical clips have no right answer where raters must choose A or B."
            )
            identical, troubles = [], [*troubles, Trouble(reason, identical[0].clips[0])]
        return replace(layout, items=(*layout.items, *flawed, *identical), warnings=(*layout.warnings, *troubles))

    def draw(self, params: Params, item: ItemContent, rng: Random) -> Presentation:
        shown = super().draw(params, item, rng)
        role = item.clips[0].role
        return shown.model_copy(update={"private": {"trap": role}}) if role in self.trap_roles else shown

    def passes(self, params: Params, role: str, rows: Sequence[AnswerRow]) -> bool:
        """Require the good clip of a flawed pair, whose first clip is the flawed one, and neither of two identical."""
        wanted = 0 if role == "trap_human" else -1
        return any(self.side(row) == wanted for row in rows if row.part == self.score.part)

    def guessed(self, role: str) -> float:
        right = [answer for answer in self.answers if (answer == 0 if role == "trap_human" else answer < 0)]
        return len(right) / len(self.answers)

    def simulate(self, params: Params, shown: Presentation, listener: Listener, rng: Random) -> Answer:
        trap = shown.private.get("trap")
        if trap is None or not listener.is_careful or rng.random() >= NOTICED:
            return super().simulate(params, shown, listener, rng)
        if trap == "trap_human":
            return Answer(preference=0)
        return Answer(preference=max(self.answers) if shown.order.index(0) == 0 else min(self.answers))

"""More questions about the same pair of clips: each answer is a preference of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from core.text.words import say
from studies.task_types._comparison import Answer, Comparison, Params
from studies.task_types._scales import shuffled
from studies.task_types.base import AnswerRow, ItemContent, Listener, Presentation, ScoreScale


class MoreQuestions(Comparison):
    """A first question, then others in an order drawn for each rater."""

    def prompts(self) -> tuple[str, ...]:
        return (*super().prompts(), "more")

    def texts(self, params: Params) -> dict[str, str | tuple[str, ...]]:
        questions = tuple(each.question for each in params.more)
        return {name: questions if name == "more" else getattr(params, name) for name in self.prompts()}

    def with_texts(self, raw: Mapping[str, Any], texts: Mapping[str, Any]) -> dict[str, Any]:
        """Return parameters with these texts; a list that no longer fits the original is left out."""
        known, lines = self.params(raw).more, tuple(texts.get("more", ()))
        rest = {name: text for name, text in texts.items() if name != "more"}
        if len(lines) != len(known):
            return {**raw, **rest}
        more = [{"name": each.name, "question": line} for each, line in zip(known, lines, strict=True)]
        return {**raw, **rest, "more": more}

    def activity(self, params: Params) -> tuple[str, ...]:
        names = ", ".join(each.name for each in params.more)
        return (*super().activity(params), say("Also compares: {names}.", names=names))

    def seconds_a_clip(self, params: Params) -> float:
        # Ours: half a choice of two for each further question.
        return super().seconds_a_clip(params) + 12.0 * len(params.more)

    def draw(self, params: Params, item: ItemContent, rng: Random) -> Presentation:
        shown = super().draw(params, item, rng)
        order = shuffled([each.part for each in params.more], item.rater, "questions")
        return shown.model_copy(update={"public": {**shown.public, "more": order}})

    def problems(self, params: Params, shown: Presentation, answer: Answer) -> dict[str, str]:
        parts = {each.part for each in params.more}
        messages = {f"more.{part}": say("There is no such question.") for part in answer.more.keys() - parts}
        missing = [part for part in parts if answer.more.get(part) not in self.answers]
        messages |= {f"more.{part}": say("Please choose one of the answers.") for part in missing}
        return super().problems(params, shown, answer) | messages

    def rows(self, params: Params, shown: Presentation, answer: Answer) -> list[AnswerRow]:
        """Return the row of the first question, then of the others in the order in which they were shown."""
        rows = super().rows(params, shown, answer)
        for part in shown.public["more"]:
            [row] = super().rows(params, shown, Answer(preference=answer.more[part]))
            rows.append(replace(row, part=part))
        return rows

    def simulate(self, params: Params, shown: Presentation, listener: Listener, rng: Random) -> Answer:
        first, *others = [
            super(MoreQuestions, self).simulate(params, shown, listener, rng) for _ in range(1 + len(params.more))
        ]
        more = {each.part: answer.preference for each, answer in zip(params.more, others, strict=True)}
        return first.model_copy(update={"more": more})


def outcomes(first: ScoreScale, more: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the attributes of a type whose raters also answer these questions."""
    names = [str(each["name"]) for each in more]
    scales = tuple(replace(first, name=name, part=name.lower()) for name in names)
    return {"outcomes": (first, *scales), "columns": (first.part, *(scale.part for scale in scales))}

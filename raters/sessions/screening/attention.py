"""Attention check between batches: the question's text says how to answer."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from django.utils.translation import gettext_lazy

from core.text import languages
from raters.sessions.screening.base import Check, Form, Step, chosen
from studies.definition.definition import Definition
from studies.definition.question_lists import ATTENTION, in_language
from studies.definition.settings.attention import Fair

FIELD = "question"


class AttentionCheck(Check):
    """A single question with a single try: platforms count failures per page and allow no second try."""

    name = "attention"
    label = gettext_lazy("Attention")
    phase = "between"
    rank = 80
    template = "attention"
    outcome = "failed_attention"
    is_fair = True

    def __init__(self, number: int = 0) -> None:
        self.number = number

    def mode(self, definition: Definition) -> str:
        return definition.screening.attention_failed if definition.screening.attention else "off"

    def tries(self, definition: Definition) -> int:
        return 1

    def draw(self, definition: Definition, rng: Random, *, clips: Sequence[Any], short: bool) -> list[Step]:
        fair = definition.screening.fair[self.number]
        order = list(range(len(fair.choices)))
        if fair.kind == "instruction":
            rng.shuffle(order)
        elif rng.random() < 0.5:
            # A scale stays in order; only its direction is drawn.
            order.reverse()
        return [{"number": self.number, "order": order}]

    def page(
        self, definition: Definition, step: Step, *, language: str, earlier: Sequence[dict[str, Any]]
    ) -> dict[str, Any]:
        text, choices = question_and_answers(definition, step, language)
        spoken = languages.spoken(ATTENTION.spoken(definition, language))
        is_scale = definition.screening.fair[step["number"]].kind == "nonsense"
        # The scale's labels are the interface's, in English if it isn't translated into this language.
        own = languages.spoken(language if languages.has_catalogue(language) else "en")
        return {
            "spoken": spoken,
            "answers": own if is_scale else spoken,
            "questions": [{"name": FIELD, "text": text, "choices": [choices[place] for place in step["order"]]}],
        }

    def problems(self, definition: Definition, step: Step, form: Form) -> dict[str, str]:
        return chosen(form, FIELD, len(step["order"]))

    def answer(self, definition: Definition, step: Step, form: Form) -> dict[str, Any]:
        picked = step["order"][int(form[FIELD])]
        return {"chosen": picked, "right": picked in definition.screening.fair[step["number"]].right}


def question_and_answers(definition: Definition, step: Step, language: str) -> tuple[str, list[str]]:
    """Return a question and its unshuffled answers in this language."""
    fair: Fair = in_language(definition, language).screening.fair[step["number"]]
    with languages.speaking(language):
        return fair.text, [languages.translate(choice) for choice in fair.choices]

"""Comprehension questions on the instructions, which are shown again between tries."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from django.utils.translation import gettext_lazy

from core.text.languages import spoken
from raters.sessions.screening.base import Check, CheckScore, Form, Step, chosen
from studies.definition.definition import Definition
from studies.definition.question_lists import INSTRUCTIONS, in_language


class Comprehension(Check):
    """All questions on one page, with choices shuffled for each try."""

    name = "comprehension"
    label = gettext_lazy("Questions on the instructions")
    phase = "practice"
    rank = 60
    template = "comprehension"
    outcome = "failed_comprehension"

    def mode(self, definition: Definition) -> str:
        return definition.screening.comprehension

    def tries(self, definition: Definition) -> int:
        return definition.screening.comprehension_tries

    def draw(self, definition: Definition, rng: Random, *, clips: Sequence[Any], short: bool) -> list[Step]:
        choices = [len(question.choices) for question in definition.screening.asked]
        return [{"orders": [rng.sample(range(number), number) for number in choices]}]

    def page(
        self, definition: Definition, step: Step, *, language: str, earlier: Sequence[dict[str, Any]]
    ) -> dict[str, Any]:
        questions = zip(in_language(definition, language).screening.asked, step["orders"], strict=True)
        marks = earlier[-1]["marks"] if earlier else [True] * len(step["orders"])
        return {
            "spoken": spoken(INSTRUCTIONS.spoken(definition, language)),
            "questions": [
                {
                    "name": f"question{number}",
                    "text": question.text,
                    "choices": [question.choices[place] for place in order],
                    "was_wrong": not marks[number],
                }
                for number, (question, order) in enumerate(questions)
            ],
        }

    def problems(self, definition: Definition, step: Step, form: Form) -> dict[str, str]:
        problems: dict[str, str] = {}
        for number, order in enumerate(step["orders"]):
            problems |= chosen(form, f"question{number}", len(order))
        return problems

    def answer(self, definition: Definition, step: Step, form: Form) -> dict[str, Any]:
        questions = definition.screening.asked
        picked = [order[int(form[f"question{number}"])] for number, order in enumerate(step["orders"])]
        marks = [choice == question.right for choice, question in zip(picked, questions, strict=True)]
        return {"chosen": picked, "marks": marks, "right": all(marks)}

    def score(self, definition: Definition, answers: Sequence[dict[str, Any]]) -> CheckScore:
        marks = answers[-1]["marks"]
        return CheckScore(sum(marks), len(marks), all(marks))

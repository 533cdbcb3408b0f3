"""A kind of work that the program does not have: is a reason polite? Over the tables of reviews."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.errors import Invalid
from raters.models import Review, ReviewItem, ReviewSkip
from studies.decisions import experts
from studies.decisions.holding import OneHolder
from studies.decisions.kinds import Kind
from studies.models import Study
from tests.raters.experts.reviewing import answers


class Politeness(Kind):
    """Two experts say whether a reason is polite; a third one decides where they differ."""

    name = address = "politeness"
    template = "politeness.html"
    title, about = "Politeness", "Is what a rater wrote polite?"
    items, decisions, holding = ReviewItem, Review, OneHolder(ReviewSkip)
    of_item = "answer"

    def is_on(self, study: Study) -> bool:
        return not study.is_draft

    def clips(self, items: Sequence[Any]) -> dict[int, list[experts.CardClip]]:
        return {item.pk: [] for item in items}

    def shown(self, items: Sequence[Any]) -> dict[int, dict[str, Any]]:
        return {item.pk: {"reason": item.answer.reason} for item in items}

    def record(self, item: Any, valid: Sequence[Any]) -> dict[str, Any]:
        return {}

    def check(self, user: Any, item: Any, sent: Any) -> None:
        if sent.decision not in {"polite", "rude"}:
            raise Invalid("Choose polite or rude.")

    def columns(self, item: Any, sent: Any, valid: Sequence[Any]) -> dict[str, Any]:
        purposes = {"open": "first", "half": "double", "disputed": "adjudication"}
        return {"study": item.study, "decision": sent.decision, "purpose": purposes[item.state]}

    def wanted(self, item: Any, valid: Sequence[Any]) -> int:
        return 2

    def settles(self, decision: Any) -> bool:
        return bool(decision.purpose == "adjudication")


POLITENESS = Politeness()


def fill(study: Study) -> None:
    """Put the study's answers into the queue, in their order."""
    for number, answer in enumerate(answers(study)):
        ReviewItem.objects.create(answer=answer, study=study, draw=number / 100, double_draw=0.0, digest="")

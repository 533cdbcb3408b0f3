"""Clips and questions in the form that task types use."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Collection

from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce

from studies.clips.models import Clip, Question
from studies.definition.models import Study
from studies.pool.models import Item
from studies.task_types.base import ClipFact, Option, QuestionFact


def clips(rows: QuerySet[Clip]) -> list[ClipFact]:
    """Return clips in the order they were added: one SELECT, about a second for 100,000."""
    columns = ("pk", "system__name", "role", "text__name", "dimension", "duration", "voice")
    after = ("expected", "file", "prompt_file")
    is_worded = Coalesce(Q(text__body__gt=""), False)
    values = list(rows.order_by("pk").values_list(*columns, is_worded, *after))
    prompts = {_folded(row[-2]): row[0] for row in values} if any(row[-1] for row in values) else {}
    return [
        ClipFact(pk, system, role, text or "", dimension, seconds, voice, worded, prompts.get(_folded(prompt), 0), due)
        for pk, system, role, text, dimension, seconds, voice, worded, due, _file, prompt in values
    ]


def _folded(name: str) -> str:
    """Return a form that is equal for a clip's file and a manifest's name of it."""
    return unicodedata.normalize("NFC", name.replace("\\", "/").removeprefix("./").casefold())


def questions(rows: QuerySet[Question]) -> list[QuestionFact]:
    """Return questions in the order they were imported."""
    return [
        QuestionFact(
            question.pk,
            question.name,
            question.prompt,
            tuple(Option(**option) for option in question.options),
            question.text.name if question.text else "",
            question.golden,
        )
        for question in rows.select_related("text").order_by("pk")
    ]


def of_items(items: Collection[int]) -> dict[int, tuple[QuestionFact, ...]]:
    """Return the questions on each item's text; two SELECTs."""
    texts = dict(Item.objects.filter(pk__in=items, text__isnull=False).values_list("pk", "text__name"))
    questions_to_ask = Question.objects.filter(text__items__in=items).distinct()
    by_text: defaultdict[str, list[QuestionFact]] = defaultdict(list)
    for question in questions(questions_to_ask):
        by_text[question.text].append(question)
    return {item: tuple(by_text[texts[item]]) if item in texts else () for item in items}


def questions_to_ask(study: Study, rows: QuerySet[Clip]) -> list[QuestionFact]:
    """Return the questions on the texts of these clips, the golden ones, and those without an item."""
    return questions(study.questions.filter(Q(text__items=None) | Q(text__clips__in=rows)).distinct())


def golden(study_id: int) -> list[QuestionFact]:
    """Return a study's golden questions."""
    return questions(Question.objects.filter(study_id=study_id, golden=True))

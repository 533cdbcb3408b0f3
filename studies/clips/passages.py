"""Passages of a study: texts that test clips speak or questions are about, with the number of their questions."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Exists, OuterRef, QuerySet

from studies.clips import queries as clips_queries
from studies.clips.models import Clip, Question, Text
from studies.rules.text import FEWEST
from studies.summaries.services import SummaryKind

if TYPE_CHECKING:
    from studies.definition.models import Study


@dataclass(frozen=True, slots=True)
class PassageCounts:
    """Numbers of passages and questions, passages with too few questions, and passages with unknown words."""

    passages: int
    questions: int
    short: int
    wordless: int


def spoken(study_id: int) -> QuerySet[Clip]:
    """Return the test clips in use that have a text."""
    return Clip.objects.filter(study_id=study_id, withdrawn_at=None, role=Clip.Role.TEST, text__isnull=False)


def heard(study_id: int) -> QuerySet[Text]:
    """Return the names of texts that test clips speak."""
    speaks = Exists(spoken(study_id).filter(text=OuterRef("pk")))
    return Text.objects.filter(speaks, study_id=study_id).order_by("name")


def passages(study_id: int) -> QuerySet[Text]:
    """Return the names of texts that test clips speak or questions are about."""
    speaks = Exists(spoken(study_id).filter(text=OuterRef("pk")))
    asks = Exists(Question.objects.filter(text=OuterRef("pk"), golden=False))
    return Text.objects.filter(speaks | asks, study_id=study_id).order_by("name")


def counts(study: Study, _choice: str = "") -> PassageCounts:
    """Count the passages and questions of a study."""
    questions = Question.objects.filter(study=study, golden=False).values_list("text", flat=True)
    asked = Counter(questions.order_by())
    heard_texts = set(spoken(study.pk).order_by().values_list("text", flat=True).distinct())
    wordless = set(Text.objects.filter(study=study, body="").values_list("pk", flat=True))
    names = heard_texts | set(asked)
    return PassageCounts(
        passages=len(names),
        questions=asked.total(),
        short=sum(asked[text] < FEWEST for text in names),
        wordless=len(heard_texts & wordless),
    )


SUMMARY = SummaryKind("passages", PassageCounts, counts, clips_queries.all_of)

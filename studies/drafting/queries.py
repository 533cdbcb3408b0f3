"""Reads of drafting: passages, runs, and drafted questions that wait for somebody."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from core.errors import NotFound
from studies.clips import passages as passage_queries
from studies.clips.black_box import BLACK
from studies.clips.models import Question, Text
from studies.corpus.models import CorpusText
from studies.drafting.gate import black_names
from studies.drafting.models import Draft, DraftDecision, DraftQuestion, DraftRun

if TYPE_CHECKING:
    from studies.definition.models import Study


@dataclass(frozen=True, slots=True)
class Passage:
    """A text that clips of the study speak, with how many questions there are about it."""

    pk: int
    name: str
    body: str
    box: str
    questions: int
    drafted: int
    # The clip to hear it from: a human one where there is one.
    clip: int


def passages(
    study: Study, *, keys: Collection[int] | None = None, limit: int | None = None, new: bool = False
) -> list[Passage]:
    """Return the passages that clips of a study speak, by name: all, some, so many, or those without questions."""
    rows = passage_queries.heard(study.pk)
    if keys is not None:
        rows = rows.filter(pk__in=keys)
    if new:
        rows = rows.exclude(body="").filter(~Exists(Question.objects.filter(text=OuterRef("pk"))))
        rows = rows.filter(~Exists(_waiting(study).filter(text=OuterRef("pk"))))
    texts = list(rows.values_list("pk", "name", "body")[:limit])
    among = [pk for pk, _name, _body in texts]
    heard: dict[int, int] = {}
    clips = passage_queries.spoken(study.pk).filter(text__in=among).order_by("pk")
    for text, clip, system in clips.values_list("text", "pk", "system__name"):
        assert text is not None
        if system == "human" or text not in heard:
            heard[text] = clip
    asked = Counter(dict(_per_text(Question.objects.filter(study=study, text__in=among))))
    drafted = Counter(dict(_per_text(_waiting(study).filter(text__in=among))))
    black = black_names(study.pk) if among else frozenset()
    return [
        Passage(pk, name, body, "black" if name in black else "", asked[pk], drafted[pk], heard[pk])
        for pk, name, body in texts
    ]


def clip_of(study: Study, text: int | None) -> int | None:
    """Return the clip from which to hear a passage; None if there is none."""
    return next((passage.clip for passage in passages(study, keys=[text])), None) if text else None


def _waiting(study: Study) -> QuerySet[DraftQuestion]:
    return DraftQuestion.objects.filter(run__study=study, state__in=["open", "disputed"])


def _per_text(rows: QuerySet[Question] | QuerySet[DraftQuestion]) -> list[tuple[int, int]]:
    return list(rows.filter(text__isnull=False).order_by().values_list("text").annotate(number=Count("pk")))


def runs(study: Study) -> QuerySet[DraftRun]:
    """Return the study's runs, the newest first."""
    return DraftRun.objects.filter(study=study).select_related("created_by").order_by("-pk")


def run(study: Study, pk: int) -> DraftRun:
    """Return one run; raises `NotFound`."""
    row = runs(study).filter(pk=pk).first()
    if row is None:
        raise NotFound("There is no such run in this study.")
    return row


def is_planned_black(run: DraftRun) -> bool:
    """Return whether a run drafts texts for the black box, whether or not it has stored any yet."""
    return bool(run.plan.get("box") == BLACK)


def is_black(run: DraftRun, names: Collection[str]) -> bool:
    """Return whether a run is for the black box by its plan, or about one of these texts."""
    if is_planned_black(run):
        return True
    planned = Text.objects.filter(study=run.study_id, pk__in=run.plan.get("passages", []))
    drafts = Draft.objects.filter(run=run).filter(Q(text__name__in=names) | Q(passage__name__in=names))
    return bool(names) and (planned.filter(name__in=names).exists() or drafts.exists())


def known_texts(study_id: int) -> dict[str, str]:
    """Return {name: words} of every text of a study, spoken or not."""
    spoken = dict(Text.objects.filter(study=study_id).exclude(body="").values_list("name", "body"))
    return {**spoken, **dict(CorpusText.objects.filter(study=study_id).values_list("name", "body"))}


def prompts_asked(study_id: int, text: int | None) -> list[str]:
    """Return the questions about one passage, or the golden ones, that a new one must not repeat."""
    asked = Question.objects.filter(study=study_id, text=text).values_list("prompt", flat=True)
    drafted = DraftQuestion.objects.filter(run__study=study_id, text=text).exclude(state="rejected")
    return [*asked, *drafted.values_list("prompt", flat=True)]


def drafted(study_id: int, withheld: Collection[str] = ()) -> QuerySet[DraftQuestion]:
    """Return the drafted questions, in the order of passages, without those about `withheld` passages."""
    rows = DraftQuestion.objects.filter(run__study=study_id).select_related("text", "run", "draft__prompt")
    rows = rows.exclude(text__name__in=withheld) if withheld else rows
    # Golden questions last, on every database.
    return rows.order_by(F("text__name").asc(nulls_last=True), "pk")


def waiting_for(study_id: int, user_id: int, withheld: Collection[str] = ()) -> QuerySet[DraftQuestion]:
    """Return the questions on which this person has not decided, without those about `withheld` passages."""
    own = DraftDecision.objects.filter(question=OuterRef("pk"), user=user_id, revoked_at=None)
    return drafted(study_id, withheld).filter(~Exists(own), state=DraftQuestion.State.OPEN)


def waiting_in(studies: Collection[int], user_id: int) -> dict[int, int]:
    """Return {study: how many questions wait for this person's decision} of studies where some do."""
    own = DraftDecision.objects.filter(question=OuterRef("pk"), user=user_id, revoked_at=None)
    rows = DraftQuestion.objects.filter(run__study__in=studies, state=DraftQuestion.State.OPEN).filter(~Exists(own))
    return dict(rows.order_by().values_list("run__study").annotate(number=Count("pk")))


def disputed(study_id: int) -> QuerySet[DraftQuestion]:
    """Return the questions on which two people differ."""
    return drafted(study_id).filter(state=DraftQuestion.State.DISPUTED)


def decided_by(study_id: int, user_id: int) -> int:
    """Return on how many questions this person's decision stands."""
    return DraftDecision.objects.filter(question__run__study=study_id, user=user_id, revoked_at=None).count()


def draft_of(text_id: int) -> Draft | None:
    """Return the request to a model that wrote a text, if one did."""
    return Draft.objects.filter(text=text_id).select_related("run", "prompt").first()

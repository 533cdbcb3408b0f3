"""Questions that a person writes, corrects, deletes and restores, by the rules for drafted and imported ones."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from core.errors import Conflict, Invalid, NotFound
from core.text.languages import translate
from studies.clips.models import Question, Text
from studies.definition.models import Study
from studies.drafting import words
from studies.drafting.models import DraftQuestion
from studies.drafting.rules import question_checks
from studies.drafting.rules.question_checks import DraftedQuestion
from studies.imports import changes, question_lists
from studies.imports.ingest import questions as ingest
from studies.rules.text import MOST
from studies.summaries import services as summaries
from studies.task_types.base import Option


@transaction.atomic
def write(*, study: Study, passage: str, prompt: str, options: Sequence[Option]) -> Question:
    """Add a question about a passage, or a golden one without passage; raises `Conflict`, or `Invalid` by the import's
    columns."""
    locked = _locked(study)
    if len(options) != 1 + question_checks.DISTRACTORS:
        raise Invalid(str(words.REFUSALS["count"]))
    _check(locked, passage, prompt, options)
    kind = ingest.QUESTIONS if passage else ingest.GOLDEN_QUESTIONS
    row = ingest.QuestionRow(1, prompt, tuple(options), passage)
    rows = ingest.Questions(kind, (row,), (), {passage: (1, 1)} if passage else {})
    try:
        question_lists.store(study=locked, lists=(rows,))
    except question_lists.QuestionsRefused as refused:
        reasons = [problem.reason for problem in refused.problems if not problem.warning]
        raise Invalid(" ".join(map(translate, reasons))) from refused
    return Question.objects.filter(study=study).latest("pk")


@transaction.atomic
def edit(*, study: Study, pk: int, prompt: str, options: Sequence[Option], seen: str) -> Question | None:
    """Change a question's words; None if they are equal. Raises `Invalid`, and `Conflict` if the question isn't as
    `seen`.

    The number of distractors stays; imported questions may have another number than drafted ones.
    """
    question = question_of(_locked(study), pk)
    if fingerprint(question) != seen:
        raise Conflict(_("Somebody has edited this question meanwhile. Read it again."), code="edited")
    if len(options) != len(question.options):
        raise Invalid(str(words.REFUSALS["count"]))
    new = question_checks.as_json(DraftedQuestion(prompt, tuple(options)))
    if (prompt, new) == (question.prompt, question.options):
        return None
    _check(study, question.text.name if question.text else "", prompt, options, question)
    question.prompt, question.options = prompt, new
    question.save(update_fields=["prompt", "options"])
    # A decision on drafted words can't be undone for other words.
    DraftQuestion.objects.filter(question=question).update(question=None)
    return question


@transaction.atomic
def delete(*, study: Study, pk: int) -> dict[str, Any]:
    """Delete a question; return the argument for `restore`."""
    question = question_of(_locked(study), pk)
    draft = DraftQuestion.objects.filter(question=question).values_list("pk", flat=True).first()
    kept = {name: getattr(question, name) for name in ("pk", "name", "text_id", "golden", "prompt", "options")}
    changes.remove_questions(questions=[pk])
    return {**kept, "draft": draft}


@transaction.atomic
def restore(*, study: Study, deleted: dict[str, Any]) -> Question:
    """Restore a deleted question; raises `Conflict` if another one has its place."""
    locked = _locked(study)
    values = {name: value for name, value in deleted.items() if name != "draft"}
    others = Question.objects.filter(study=locked, text=values["text_id"])
    if ingest.same(values["prompt"]) in map(ingest.same, others.values_list("prompt", flat=True)):
        raise Conflict(_("The study already has this question."), code="asked_before")
    if not values["golden"] and others.count() >= MOST:
        raise Conflict(_("The passage has {most} questions, the most there may be.").format(most=MOST), code="too_many")
    is_taken = Question.objects.filter(study=locked, name=values["name"]).exists()
    is_gone = not values["golden"] and not Text.objects.filter(study=locked, pk=values["text_id"]).exists()
    if is_taken or is_gone:
        raise Conflict(_("The passage has changed meanwhile. Write the question again."), code="taken")
    question = Question.objects.create(study=locked, **values)
    accepted = DraftQuestion.objects.filter(pk=deleted["draft"], state=DraftQuestion.State.ACCEPTED, question=None)
    accepted.update(question=question)
    summaries.outdate(locked)
    return question


def fingerprint(question: Question) -> str:
    """Return a short text that changes with the question's words."""
    return sha256(repr((question.prompt, question.options)).encode()).hexdigest()[:16]


def question_of(study: Study, pk: int) -> Question:
    """Return one question of a study; raises `NotFound`."""
    found = Question.objects.filter(study=study, pk=pk).select_related("text").first()
    if found is None:
        raise NotFound(_("There is no such question."))
    return found


def _locked(study: Study) -> Study:
    """Return the study, locked as imports lock it; raises `Conflict` after the launch."""
    locked = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    question_lists.refuse_frozen(locked)
    return locked


def _check(
    study: Study, passage: str, prompt: str, options: Sequence[Option], question: Question | None = None
) -> None:
    """Raise `Invalid` with the problems of a question, new or reworded."""
    same = Question.objects.filter(study=study, golden=not passage)
    same = same.filter(text__name=passage) if passage else same
    same = same.exclude(pk=question.pk) if question is not None else same
    earlier = same.values_list("prompt", flat=True)
    found = question_checks.problems(DraftedQuestion(prompt, tuple(options)), golden=not passage, earlier=earlier)
    # An import may repeat types of errors; editing keeps them.
    is_kept = question is not None and [each["error"] for each in question.options] == [each.error for each in options]
    problems: dict[str, str] = {}
    for field, code in found:
        if not (is_kept and code == "same_error_type"):
            problems.setdefault(field, str(words.REFUSALS[code]))
    if problems:
        raise Invalid(" ".join(problems.values()), problems)

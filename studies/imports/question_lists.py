"""Lists of questions on passages that a draft has: what they would change, their import, and lists to download."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from core.errors import Conflict
from studies.clips.models import Question, Text
from studies.definition.models import Study
from studies.imports import publishing
from studies.imports.ingest import questions as ingest
from studies.imports.ingest import table
from studies.imports.ingest.problems import ImportProblem
from studies.pool.layout import checked
from studies.rules.text import FEWEST, MOST

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ChangedQuestion:
    """A question that stays, with its answers before and after."""

    passage: str
    prompt: str
    before: Sequence[dict[str, str]]
    after: Sequence[dict[str, str]]


@dataclass(frozen=True, slots=True)
class QuestionsPreview:
    """What lists would add and change, how many questions stay, and the problems of the lists."""

    new: list[ingest.QuestionRow]
    changed: list[ChangedQuestion]
    same: int
    problems: list[ImportProblem]

    @property
    def refusals(self) -> list[ImportProblem]:
        return [problem for problem in self.problems if not problem.warning]

    @property
    def does_something(self) -> bool:
        return bool(self.new or self.changed)


class QuestionsRefused(Exception):
    """A list has errors, so that nothing was stored."""

    def __init__(self, problems: Sequence[ImportProblem]) -> None:
        super().__init__("refused")
        self.problems = problems


def preview(study: Study, lists: publishing.Lists) -> QuestionsPreview:
    """Compare lists to the questions of a draft; raises `Conflict` after the launch. Three SELECTs."""
    refuse_frozen(study)
    existing = _existing(study)
    rows = [row for questions in lists for row in questions.rows]
    new = [row for row in rows if _key(row) not in existing]
    kept = [(row, existing[_key(row)]) for row in rows if _key(row) in existing]
    changed = [
        ChangedQuestion(row.passage, row.prompt, before.options, _options(row))
        for row, before in kept
        if before.options != _options(row) or before.prompt != row.prompt
    ]
    problems = [problem for questions in lists for problem in questions.problems]
    problems += _miscounted(study, lists, existing)
    return QuestionsPreview(new, changed, len(kept) - len(changed), problems)


@transaction.atomic
def store(*, study: Study, lists: publishing.Lists) -> QuestionsPreview:
    """Add and change the questions of a draft: all of the lists, or nothing.

    A question is known by its passage and its words: with other answers, it replaces the one that was there, so that a
    decision on a drafted question can't be taken back from it. Raises `QuestionsRefused`, and `Conflict` after the
    launch.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    result = preview(study, lists)
    if result.refusals:
        raise QuestionsRefused(result.problems)
    existing = _existing(study)
    texts = dict(Text.objects.filter(study=study).values_list("name", "pk"))
    changed = {(each.passage, ingest.same(each.prompt)) for each in result.changed}
    names = {key: existing[key].name for key in changed}
    Question.objects.filter(pk__in=[existing[key].pk for key in changed]).delete()
    replaced = [
        Question(
            study=study,
            name=names[_key(row)],
            text_id=texts[row.passage] if row.passage else None,
            golden=not row.passage,
            prompt=row.prompt,
            options=_options(row),
        )
        for questions in lists
        for row in questions.rows
        if _key(row) in changed
    ]
    Question.objects.bulk_create(replaced, batch_size=publishing.CHUNK)
    added = [replace(each, rows=tuple(row for row in each.rows if _key(row) not in existing)) for each in lists]
    places = publishing.add(study, tuple(added), texts)
    # What only the task knows of questions; that others are missing is for the launch to say.
    troubles = [trouble for trouble in checked(study).problems if trouble.question in places and not trouble.later]
    if troubles:
        lines = [(places[trouble.question or 0], trouble.reason) for trouble in troubles]
        raise QuestionsRefused([ImportProblem(row, "", "", reason, table=name) for (name, row), reason in lines])
    return result


def as_csv(questions: Iterable[Question], kind: table.TableKind) -> str:
    """Return questions as the list that an import reads."""
    out = io.StringIO()
    writer = csv.DictWriter(out, kind.columns, restval="")
    writer.writeheader()
    for question in questions:
        right, *others = question.options
        cells = {"question": question.prompt, "correct": right["text"]}
        if question.text is not None:
            cells["passage"] = question.text.name
        for number, option in enumerate(others, start=1):
            cells[f"distractor_{number}"] = option["text"]
            if question.text is not None:
                cells[f"distractor_{number}_error"] = option["error"]
        writer.writerow({name: table.quoted(value) for name, value in cells.items()})
    return out.getvalue()


def of_study(study: Study, *, golden: bool, withheld: Collection[str] = ()) -> Sequence[Question]:
    """Return a study's questions by passage, or its golden ones, without those about `withheld` passages."""
    rows = Question.objects.filter(study=study, golden=golden).exclude(text__name__in=withheld)
    return list(rows.select_related("text").order_by("text__name", "pk"))


def by_passage(texts: Iterable[Text]) -> dict[int, list[Question]]:
    """Return {passage: its questions} of some passages."""
    asked: dict[int, list[Question]] = {text.pk: [] for text in texts}
    for question in Question.objects.filter(text__in=list(asked), golden=False).order_by("pk"):
        assert question.text_id is not None
        asked[question.text_id].append(question)
    return asked


def refuse_frozen(study: Study) -> None:
    publishing.refuse_unasked(study)
    if not study.is_draft:
        raise Conflict(_("The study was launched: its questions can’t be changed any more."), code="launched")


def _existing(study: Study) -> dict[Key, Question]:
    rows = Question.objects.filter(study=study).select_related("text").order_by("pk")
    return {(row.text.name if row.text else "", ingest.same(row.prompt)): row for row in rows}


def _key(row: ingest.QuestionRow) -> Key:
    return row.passage, ingest.same(row.prompt)


def _options(row: ingest.QuestionRow) -> list[dict[str, Any]]:
    return [asdict(option) for option in row.options]


def _miscounted(study: Study, lists: publishing.Lists, existing: Collection[Key]) -> list[ImportProblem]:
    """Return passages that are unknown or get too many questions, and warnings of those that still have too few."""
    known = set(study.clips.filter(withdrawn_at=None).values_list("text__name", flat=True).distinct())
    counts = Counter(passage for passage, _prompt in existing)
    problems = []
    for questions in lists:
        counts.update(row.passage for row in questions.rows if _key(row) not in existing)
        for passage, (row, _number) in questions.passages.items():
            if passage not in known:
                reason, warning = ingest.unknown(passage), False
            elif counts[passage] and not FEWEST <= counts[passage] <= MOST:
                reason, warning = ingest.miscounted(passage, counts[passage]), counts[passage] < FEWEST
            else:
                continue
            problems.append(ImportProblem(row, "", "passage", reason, warning, questions.kind.table))
    return problems

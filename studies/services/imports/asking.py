"""The questions that come with clips: read beside what the study asks already, and added in the clips' transaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass

from django.utils.translation import gettext as _

from core.errors import Invalid
from studies.ingest import questions as ingest
from studies.ingest.problems import Problem
from studies.models import Item, Question, Study
from studies.selectors.studies import newest

CHUNK = 1000
Lists = tuple[ingest.Questions, ...]


@dataclass(frozen=True)
class Files:
    """What was handed in beside the audio, as bytes; without questions, nothing is asked."""

    manifest: bytes
    questions: bytes | None = None
    golden: bytes | None = None


def refuse_unasked(study: Study) -> None:
    """Raise `Invalid` when the raters of this study are never asked questions."""
    kind = study.definition.kind
    if not kind.asks:
        reason = _("The task “{name}” asks no questions about passages. Send the clips without them.")
        raise Invalid(reason.format(name=kind.label))


def read(files: Files) -> Lists:
    """Read the lists that were sent."""
    readers = ((files.questions, ingest.read), (files.golden, ingest.read_golden))
    return tuple(reader(content) for content, reader in readers if content is not None)


def clashes(study: Study, lists: Lists, texts: Collection[str]) -> list[Problem]:
    """Return what contradicts the study or its clips; `texts` are those that the manifest names."""
    if not lists:
        return []
    rows = study.questions.values_list("text__name", "prompt")
    asked = {(passage or "", ingest.same(prompt)) for passage, prompt in rows}
    counts = Counter(passage for passage, _prompt in asked)
    known = {*texts, *study.clips.filter(withdrawn_at=None).values_list("text__name", flat=True).distinct()}
    met = set(Item.objects.filter(study=study, text__isnull=False).values_list("text__name", flat=True).distinct())
    is_launched = newest(study) is not None
    problems: list[Problem] = []
    for questions in lists:
        table = questions.kind.table
        problems += ingest.fits(questions, known, counts)
        for row in questions.rows:
            if (row.passage, ingest.same(row.prompt)) in asked:
                reason = _("The study asks this question already.")
                problems.append(Problem(row.number, "", "question", reason, table=table))
            elif is_launched and row.passage in met:
                reason = _("Raters meet the passage {name} already: after the launch, only new ones get questions.")
                problems.append(Problem(row.number, "", "passage", reason.format(name=row.passage), table=table))
    return problems


def add(study: Study, lists: Lists, texts: Mapping[str, int]) -> dict[int, tuple[str, int]]:
    """Add the questions, numbered on from those there are; return {question: its table and row}."""
    last: Counter[str] = Counter()
    for name in study.questions.values_list("name", flat=True):
        owner, _slash, number = name.rpartition("/")
        last[owner] = max(last[owner], int(number))
    new: list[Question] = []
    places: list[tuple[str, int]] = []
    for questions in lists:
        for row in questions.rows:
            owner = row.passage or ingest.GOLDEN
            last[owner] += 1
            new.append(
                Question(
                    study=study,
                    name=f"{owner}/{last[owner]}",
                    text_id=texts[row.passage] if row.passage else None,
                    golden=not row.passage,
                    prompt=row.prompt,
                    options=[asdict(option) for option in row.options],
                )
            )
            places.append((questions.kind.table, row.number))
    made = Question.objects.bulk_create(new, batch_size=CHUNK)
    return {question.pk: place for question, place in zip(made, places, strict=True)}

"""Add decoded clips and their questions to a study in one short transaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.utils.translation import gettext as _

from core import jobs
from core.errors import DomainError, Invalid
from core.text.words import say
from studies import hooks
from studies.clips.models import Clip, ClipImport, Question, System, Text
from studies.definition.models import Study
from studies.definition.queries import newest
from studies.hooks import TextFacts
from studies.imports import known_clips, known_texts, renditions
from studies.imports.ingest import questions as ingest
from studies.imports.ingest.facts import Facts
from studies.imports.ingest.manifest import ManifestRow
from studies.imports.ingest.names import folded
from studies.imports.ingest.problems import ImportProblem
from studies.pool.layout import ClipsUnfit as NoLayout
from studies.pool.layout import checked, lay_out
from studies.pool.models import Item
from studies.summaries import services as summaries
from studies.task_types.base import Trouble

CHUNK = 1000
Lists = tuple[ingest.Questions, ...]


@dataclass(frozen=True)
class Files:
    """The lists that came with the audio, as bytes; without a manifest, the one inside the archive is read."""

    manifest: bytes | None
    questions: bytes | None = None
    golden: bytes | None = None


def refuse_unasked(study: Study) -> None:
    """Raise `Invalid` if the study's task asks no questions about passages."""
    kind = study.definition.kind
    if not kind.asks:
        reason = _("The task “{name}” asks no questions about passages. Send the clips without them.")
        raise Invalid(reason.format(name=kind.label))


def read(files: Files) -> Lists:
    """Read the lists that were sent."""
    readers = ((files.questions, ingest.read), (files.golden, ingest.read_golden))
    return tuple(reader(content) for content, reader in readers if content is not None)


def clashes_of_lists(study: Study, lists: Lists, texts: Collection[str]) -> list[ImportProblem]:
    """Return contradictions to the study or its clips; `texts` are those of the manifest."""
    if not lists:
        return []
    rows = study.questions.values_list("text__name", "prompt")
    existing = {(passage or "", ingest.same(prompt)) for passage, prompt in rows}
    counts = Counter(passage for passage, _prompt in existing)
    known = {*texts, *study.clips.filter(withdrawn_at=None).values_list("text__name", flat=True).distinct()}
    met = set(Item.objects.filter(study=study, text__isnull=False).values_list("text__name", flat=True).distinct())
    is_launched = newest(study) is not None
    problems: list[ImportProblem] = []
    for questions in lists:
        table = questions.kind.table
        problems += ingest.fits(questions, known, counts)
        for row in questions.rows:
            if (row.passage, ingest.same(row.prompt)) in existing:
                reason = say("The study already has this question.")
                problems.append(ImportProblem(row.number, "", "question", reason, table=table))
            elif is_launched and row.passage in met:
                reason = say(
                    "Raters already hear the passage {name}: after the launch, only new passages can get questions.",
                    name=row.passage,
                )
                problems.append(ImportProblem(row.number, "", "passage", reason, table=table))
    return problems


def add(study: Study, lists: Lists, texts: Mapping[str, int]) -> dict[int, tuple[str, int]]:
    """Add the questions, with the next free numbers; return {question: its table and row}."""
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
    questions_added = Question.objects.bulk_create(new, batch_size=CHUNK)
    summaries.outdate(study)
    return {question.pk: place for question, place in zip(questions_added, places, strict=True)}


COPIED = (
    *("file", "role", "voice", "dimension", "language", "box", "benchmark", "condition", "domain", "take"),
    "prompt_file",
    "seen",
    "expected",
)
MEASURED = (
    "sha256",
    "rendition_bytes",
    "duration",
    "sample_rate",
    "channels",
    "loudness",
    "true_peak",
    "gain",
    "silence_before",
    "silence_after",
    "codec",
    "bit_depth",
    "clipped",
    "content_sha256",
    "trimmed_before",
    "trimmed_after",
)


class TakenOver(Exception):
    """Another worker has this job now; discard the work of this one."""


class ClipsRejected(Exception):
    """The study changed meanwhile, or its task can't use these clips."""

    def __init__(self, problems: Sequence[ImportProblem]) -> None:
        super().__init__("unfit")
        self.problems = problems


@dataclass(frozen=True)
class StoredClip:
    """A clip with its files in storage, still without a row."""

    row: ManifestRow
    facts: Facts
    original: str
    rendition: str
    # The repairs by which the rendition was made.
    recipe: str = ""


def clashes(study: Study, rows: Iterable[ManifestRow]) -> list[ImportProblem]:
    """Return contradictions to the study's clips: names in use, and other words for the same text."""
    name_by_folded = {folded(name): name for name in Clip.objects.filter(study=study).values_list("file", flat=True)}
    texts = dict(Text.objects.filter(study=study).exclude(body="").values_list("name", "body"))
    problems = []
    for row in rows:
        if (there := name_by_folded.get(folded(row.file))) is not None:
            reason = say("The study already has a clip of this name. Give the new one another name, or skip it.")
            if there != row.file:
                reason = say("The study already has a clip {name}. Give the new one another name.", name=there)
            problems.append(ImportProblem(row.number, row.file, "file", reason))
        if row.text and texts.get(row.text_id, row.text) != row.text:
            reason = say("The study has another text under {name}. Give this one its own text_id.", name=row.text_id)
            problems.append(ImportProblem(row.number, row.file, "text", reason))
    return problems


def publish(
    job: ClipImport, stored: Sequence[StoredClip], lists: Lists, *, report: list[dict[str, Any]], now: datetime
) -> None:
    """Add all clips and questions and end the job; raises `ClipsRejected` or `TakenOver`, and then nothing was added.

    Costs some ten statements for every 1,000 clips, and the layout's own after a launch.
    """
    with transaction.atomic():
        study = Study.objects.select_for_update(no_key=True).get(pk=job.study_id)
        if study.state == Study.State.CLOSED:
            reason = say("The study was closed. Reopen it before you add clips.")
            raise ClipsRejected([ImportProblem(0, "", "", reason, table="")])
        if newest(study) is not None and any(clip.recipe != study.definition.audio.recipe for clip in stored):
            # Renditions of a launched study are never made again.
            reason = say("The repairs of the clips changed before the launch. Import these clips again.")
            raise ClipsRejected([ImportProblem(0, "", "", reason, table="")])
        rows = [clip.row for clip in stored]
        replaced = _replaced(job, study, rows, now)
        if problems := [*clashes(study, rows), *clashes_of_lists(study, lists, {row.text_id for row in rows})]:
            raise ClipsRejected(problems)
        facts = known_texts.known(study, {row.text_id for row in rows})
        rows = known_texts.completed(rows, facts)
        stored = [replace(clip, row=row) for clip, row in zip(stored, rows, strict=True)]
        texts = _texts(study, rows, facts)
        add_clips(study, stored, texts, now)
        _withdraw_replaced(job, study, now)
        places = add(study, lists, texts)
        missing = _fit(study, rows, places, now, may_follow=not lists)
        report = [*report, *(problem.as_dict() for problem in (*replaced, *missing))]
        count = len(stored)
        if not jobs.finish(
            job, now, report=report, clips_added=count, questions_added=len(places), done=count, total=count
        ):
            raise TakenOver
        renditions.request(study, now)
        hooks.tell_clips_changed(study, now)


def _replaced(job: ClipImport, study: Study, rows: Sequence[ManifestRow], now: datetime) -> list[ImportProblem]:
    """Make room for clips that take the place of those of the same name, if the import does so."""
    if not job.replaces_known:
        return []
    try:
        known_clips.refuse_launched(study)
        return known_clips.set_aside(study, rows, now)
    except DomainError as error:
        raise ClipsRejected([ImportProblem(0, "", "", error.message, table="")]) from None


def _withdraw_replaced(job: ClipImport, study: Study, now: datetime) -> None:
    """Withdraw the clip that this import replaces, before the layout: the task may allow only one of its text."""
    if job.replaces_id is None:
        return
    if not study.is_draft:
        reason = say("The study was launched: its clips can’t be replaced any more.")
        raise ClipsRejected([ImportProblem(0, "", "", reason, table="")])
    Clip.objects.filter(pk=job.replaces_id, withdrawn_at=None).update(withdrawn_at=now)


def _fit(
    study: Study,
    rows: Sequence[ManifestRow],
    places: Mapping[int, tuple[str, int]],
    now: datetime,
    *,
    may_follow: bool,
) -> list[ImportProblem]:
    """Add places for new clips of a launched study; for a draft, check whether its task could use them.

    Where questions `may_follow`, because none came with these clips, return warnings that they are missing.
    """
    try:
        if newest(study) is not None:
            # A savepoint: what doesn't fit is looked up afterwards.
            with transaction.atomic():
                lay_out(study=study, now=now)
        elif troubles := checked(study).problems:
            if may_follow and all(trouble.later for trouble in troubles):
                return [replace(problem, warning=True) for problem in _problems(troubles, rows, places)]
            raise NoLayout(troubles)
    except NoLayout as error:
        raise ClipsRejected(_problems(error.troubles, rows, places)) from None
    return []


def _problems(
    troubles: Sequence[Trouble], rows: Sequence[ManifestRow], places: Mapping[int, tuple[str, int]]
) -> list[ImportProblem]:
    """Return troubles as lines of the report; a clip or question from an earlier import has a name, but no row."""
    numbers = {row.file: row.number for row in rows}
    keys = [trouble.clip for trouble in troubles if trouble.clip is not None]
    files = dict(Clip.objects.filter(pk__in=keys).values_list("pk", "file"))
    problems = []
    for trouble in troubles:
        file = files.get(trouble.clip or 0, "")
        table, number = places.get(trouble.question or 0, ("manifest" if file in numbers else "", 0))
        problems.append(ImportProblem(number or numbers.get(file, 0), file, "", trouble.reason, table=table))
    return problems


def add_clips(study: Study, stored: Sequence[StoredClip], texts: Mapping[str, int], now: datetime) -> None:
    """Insert the clips by a statement that is written once: others wait for SQLite's one writer meanwhile."""
    systems = _systems(study, {clip.row.system for clip in stored})
    like, extra = Clip(study=study, added_at=now), Clip._meta.get_field("extra")
    columns = [each for each in Clip._meta.concrete_fields if not each.primary_key]
    common = {each.attname: each.get_db_prep_save(each.pre_save(like, add=True), connection) for each in columns}
    names = ", ".join(connection.ops.quote_name(each.column or "") for each in columns)
    table, places = connection.ops.quote_name(Clip._meta.db_table), ", ".join(["%s"] * len(columns))
    # Text and numbers, which every driver takes as they are.
    rows = (
        {
            **common,
            "system_id": systems[clip.row.system],
            "text_id": texts.get(clip.row.text_id),
            "original": clip.original,
            "rendition": clip.rendition,
            "recipe": clip.recipe,
            **{name: getattr(clip.row, name) for name in COPIED},
            **{name: getattr(clip.facts, name) for name in MEASURED},
            "extra": extra.get_db_prep_save(dict(clip.row.extra) or None, connection),
        }
        for clip in stored
    )
    values: Any = (tuple(row.values()) for row in rows)
    with connection.cursor() as cursor:
        sql = f"INSERT INTO {table} ({names}) VALUES ({places})"  # noqa: S608  (names of the model's own)
        cursor.executemany(sql, values)


def _systems(study: Study, names: set[str]) -> dict[str, int]:
    known = set(System.objects.filter(study=study).values_list("name", flat=True))
    System.objects.bulk_create([System(study=study, name=name) for name in sorted(names - known)], batch_size=CHUNK)
    return dict(System.objects.filter(study=study).values_list("name", "pk"))


def _texts(study: Study, rows: Iterable[ManifestRow], facts: Mapping[str, TextFacts]) -> dict[str, int]:
    """Create new texts with their context, and fill in the words and the context of texts that had none."""
    wanted: dict[str, str] = {}
    for row in rows:
        if row.text_id:
            wanted[row.text_id] = wanted.get(row.text_id) or row.text
    contexts = {name: fact.context for name, fact in facts.items()}
    known = {text.name: text for text in Text.objects.filter(study=study)}
    new = [
        Text(study=study, name=name, body=body, context=contexts.get(name))
        for name, body in wanted.items()
        if name not in known
    ]
    Text.objects.bulk_create(new, batch_size=CHUNK)
    lacking = [
        text
        for name, text in known.items()
        if (not text.body and wanted.get(name)) or (not text.context and contexts.get(name))
    ]
    for text in lacking:
        text.body = text.body or wanted.get(text.name, "")
        text.context = text.context or contexts.get(text.name)
    Text.objects.bulk_update(lacking, ["body", "context"], batch_size=CHUNK)
    return dict(Text.objects.filter(study=study).values_list("name", "pk"))

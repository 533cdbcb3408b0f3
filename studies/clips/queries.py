"""Queries on clips: their files, their facts from the manifest, and clips that two studies share."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

from django.db.models import QuerySet

from core.database.paging import paged
from core.hooks import StoredFile
from studies.clips.models import Clip, ClipImport, Question, Text
from studies.clips.tables import CHUNK, GROUPED, Groups
from studies.definition.models import Study, StudyVersion


class Labels(NamedTuple):
    """A clip's groups, and other facts that distinguish it."""

    groups: Groups
    file: str
    text: str
    language: str
    take: str
    seconds: float


def labels(study_id: int, among: Collection[int] | None = None) -> dict[int, Labels]:
    """Return {clip: its labels} of all clips of a study, or of some; one SELECT, about 700 bytes a clip."""
    clips = Clip.objects.filter(study_id=study_id)
    clips = clips if among is None else clips.filter(pk__in=among)
    rows = clips.values_list("pk", *GROUPED, "file", "text__name", "language", "take", "duration")
    return {key: _labels(values) for key, *values in rows.iterator(CHUNK)}


def _labels(values: Sequence[Any]) -> Labels:
    file, text, *others = values[len(GROUPED) :]
    return Labels(Groups(*values[: len(GROUPED)]), file, text or "", *others)


def rated_clips() -> QuerySet[Clip, tuple[Any, ...]]:
    """Return the columns of clips that an export of ratings has, by key, with their duration."""
    return Clip.objects.values_list(
        "pk",
        "file",
        "system__name",
        "voice",
        "text__name",
        "dimension",
        "language",
        "box",
        "domain",
        "benchmark",
        "condition",
        "take",
        "role",
        "duration",
        "prompt_file",
        "seen",
    )


def rated_questions() -> QuerySet[Question, tuple[Any, ...]]:
    """Return the columns of questions that an export of ratings has, by key."""
    return Question.objects.values_list("pk", "name", "golden")


def numbers(study_id: int) -> dict[int, int]:
    """Return {version: its number}."""
    return dict(StudyVersion.objects.filter(study_id=study_id).values_list("pk", "number"))


def all_of(study: Study) -> QuerySet[Clip]:
    """Return all clips of a study, withdrawn ones too: their number decides who computes a summary."""
    return Clip.objects.filter(study=study)


def in_use(study_id: int) -> QuerySet[Clip]:
    """Return the clips of a study that are not withdrawn."""
    return Clip.objects.filter(study_id=study_id, withdrawn_at=None)


def withdrawn(study_id: int) -> QuerySet[Clip]:
    """Return the withdrawn clips of a study."""
    return Clip.objects.filter(study_id=study_id, withdrawn_at__isnull=False)


class Recording(NamedTuple):
    """A clip's stored files and their facts."""

    clip: int
    file: str
    system: str
    role: str
    language: str
    sha256: str
    original: str
    rendition: str
    rendition_bytes: int
    gain: float
    seconds: float
    is_withdrawn: bool


def recordings(study_id: int, *, withdrawn: bool = False, among: QuerySet[Any, Any] | None = None) -> list[Recording]:
    """Return a study's clips, or some, in the order of import; withdrawn ones only if wanted.

    One SELECT, about 700 bytes a clip.
    """
    rows = Clip.objects.filter(study_id=study_id).order_by("pk")
    rows = rows if among is None else rows.filter(pk__in=among)
    columns = (
        "pk", "file", "system__name", "role", "language", "sha256", "original", "rendition", "rendition_bytes", "gain",
        "duration", "withdrawn_at",
    )  # fmt: skip
    listed = rows.values_list(*columns) if withdrawn else rows.filter(withdrawn_at=None).values_list(*columns)
    return [Recording._make((*row[:-1], row[-1] is not None)) for row in listed.iterator(CHUNK)]


def of_study(study_id: int) -> Iterator[tuple[str, str]]:
    """Yield (file of the manifest, name in the store) of every clip that has a rendition, by file."""
    rows = Clip.objects.filter(study_id=study_id).exclude(rendition="").values("file", "rendition")
    return ((row["file"], row["rendition"]) for row in paged(rows, "file"))


KINDS = ("clips", "originals", "renditions", "uploads")
LISTS = ("manifest", "questions", "golden", "archive")


def files(study: int | None) -> Iterator[StoredFile]:
    """Yield the stored files of one study, or of all."""
    clips, imports = Clip.objects.all(), ClipImport.objects.all()
    if study is not None:
        clips, imports = clips.filter(study=study), imports.filter(study=study)
    for row in paged(clips.values("pk", "original", "rendition", "sha256"), "pk"):
        yield StoredFile(row["original"], f"the original of clip {row['pk']}", row["sha256"])
        yield StoredFile(row["rendition"], f"the rendition of clip {row['pk']}")
    for row in paged(imports.values("pk", *LISTS), "pk"):
        yield from (StoredFile(row[name], f"the {name} of import {row['pk']}") for name in LISTS)


class TrainingClip(NamedTuple):
    """A training clip for practice; `text` is its transcript."""

    clip: int
    system: str
    text: str
    seconds: float
    rendition: str
    size: int


def training_clips(study_id: int) -> list[TrainingClip]:
    """Return a study's training clips in the order they were added; one SELECT."""
    rows = Clip.objects.filter(study=study_id, role=Clip.Role.TRAINING, withdrawn_at=None).order_by("pk")
    columns = ("pk", "system__name", "text__body", "duration", "rendition", "rendition_bytes")
    return [TrainingClip(pk, system, text or "", *rest) for pk, system, text, *rest in rows.values_list(*columns)]


def has_clip(study_id: int, hashes: Collection[str]) -> bool:
    """True if the study has one of these recordings, by the hash of the original."""
    return bool(hashes) and Clip.objects.filter(study=study_id, withdrawn_at=None, sha256__in=hashes).exists()


def has_text(study_id: int, bodies: Collection[str]) -> bool:
    """True if the study has one of these sentences."""
    return bool(bodies) and Text.objects.filter(study=study_id, body__in=bodies).exists()


def has_voice(study_id: int, voices: Collection[tuple[str, str]]) -> bool:
    """True if the study has one of these (system, voice)."""
    if not voices:
        return False
    clips = Clip.objects.filter(study=study_id, withdrawn_at=None, voice__in={voice for _system, voice in voices})
    return any(pair in voices for pair in clips.values_list("system__name", "voice").distinct())

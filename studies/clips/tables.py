"""Clips and questions as tables: groups for scores, facts for exports, places for coverage."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from django.db.models import F

from core.database.paging import paged
from studies.clips.models import Clip, Question

CHUNK = 2000


# The columns of `Groups`, in its order.
GROUPED = ("system__name", "voice", "dimension", "box", "benchmark", "condition", "domain", "role", "text_id", "seen")


class Groups(NamedTuple):
    """The groups of a clip in scores; `seen` says whether the system was trained on the benchmark: yes, no or empty."""

    system: str
    voice: str
    dimension: str
    box: str
    benchmark: str
    condition: str
    domain: str
    role: str
    text: int | None
    seen: str


def exists(clip_id: int) -> bool:
    """True if this clip exists in any study."""
    return Clip.objects.filter(pk=clip_id).exists()


def groups(study_id: int) -> dict[int, Groups]:
    """Return {clip: its groups}; one SELECT, 150 bytes a clip."""
    rows = Clip.objects.filter(study_id=study_id).values_list("pk", *GROUPED)
    return {row[0]: Groups(*row[1:]) for row in rows.iterator(CHUNK)}


def table(study_id: int) -> Iterator[dict[str, Any]]:
    """Yield one row a clip, by file name, with facts of the manifest and measures."""
    rows = Clip.objects.filter(study_id=study_id).values(
        "file",
        "role",
        "voice",
        "dimension",
        "language",
        "box",
        "domain",
        "benchmark",
        "condition",
        "take",
        "sha256",
        "duration",
        "sample_rate",
        "channels",
        "loudness",
        "true_peak",
        "gain",
        "silence_before",
        "silence_after",
        "added_at",
        "withdrawn_at",
        "codec",
        "bit_depth",
        "clipped",
        "recipe",
        "trimmed_before",
        "trimmed_after",
        "prompt_file",
        "seen",
        "expected",
        "extra",
        "system__name",
        "text__name",
        "text__body",
    )
    return paged(rows, "file")


def extra_names(study_id: int) -> list[str]:
    """Return the names of the columns that were kept of tables, sorted."""
    rows = Clip.objects.filter(study_id=study_id, extra__isnull=False).values_list("extra", flat=True)
    return sorted({name for extra in rows.iterator(CHUNK) for name in extra or ()})


def has_questions(study_id: int) -> bool:
    """Return whether the study has questions on passages."""
    return Question.objects.filter(study_id=study_id).exists()


def questions(study_id: int) -> Iterator[dict[str, Any]]:
    """Yield one row a question, in the order they were imported; the right option is the first."""
    rows = Question.objects.filter(study_id=study_id).values(
        "pk", "name", "golden", "prompt", "options", text_name=F("text__name")
    )
    return paged(rows, "pk")

"""What a manifest said of each clip, for tables of ratings."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import Count

from studies.models import Clip, Study, StudyVersion
from studies.selectors.clips_table import CHUNK, Groups


class Labels(NamedTuple):
    """A clip's groups, and what else it is told from others by."""

    groups: Groups
    file: str
    text: str
    language: str
    take: str
    seconds: float


def labels(study_id: int) -> dict[int, Labels]:
    """Return {clip: its labels}; one SELECT, about 700 bytes a clip."""
    columns = ("system__name", "voice", "dimension", "box", "benchmark", "condition", "domain", "role", "text_id")
    rows = Clip.objects.filter(study_id=study_id).values_list(
        "pk", *columns, "file", "text__name", "language", "take", "duration"
    )
    return {
        row[0]: Labels(Groups(*row[1:10]), row[10], row[11] or "", row[12], row[13], row[14])
        for row in rows.iterator(CHUNK)
    }


def numbers(study_id: int) -> dict[int, int]:
    """Return {version: its number}."""
    return dict(StudyVersion.objects.filter(study_id=study_id).values_list("pk", "number"))


def clip_counts(study: Study) -> dict[str, dict[str, int]]:
    """Return {system: {role: clips}}, withdrawn clips left out, both in alphabetical order."""
    counts: dict[str, dict[str, int]] = {}
    rows = Clip.objects.filter(study=study, withdrawn_at=None).order_by("system__name", "role")
    for system, role, number in rows.values_list("system__name", "role").annotate(number=Count("pk")):
        counts.setdefault(system, {})[role] = number
    return counts

"""What a manifest said of each clip, for tables of ratings."""

from __future__ import annotations

from typing import NamedTuple

from studies.models import Clip, StudyVersion
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

"""The number of clips of each system, role and dimension: counted in small studies, stored in large ones.

Stored numbers are counted again in every transaction that changes clips, so they always match the rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from django.db import transaction
from django.db.models import Count, Q, Sum
from django.db.models.functions import Coalesce

from studies.clips.models import Clip, ClipFigures
from studies.summaries import services as summaries

if TYPE_CHECKING:
    from studies.definition.models import Study


class Group(NamedTuple):
    """Number and total duration of the clips of a system, role and dimension."""

    system: str
    role: str
    dimension: str
    is_withdrawn: bool
    clips: int
    seconds: float


CLIPS = Group._fields.index("clips")


def groups(study_id: int, *, withdrawn: bool = False) -> list[Group]:
    """Return a study's clips by group, sorted by name; withdrawn ones only if wanted. Two SELECTs."""
    return of_studies([study_id], withdrawn=withdrawn)


def of_studies(keys: Collection[int], *, withdrawn: bool = False) -> list[Group]:
    """Return the clips of several studies by group, study by study; two SELECTs."""
    kept = ClipFigures.objects.filter(study__in=keys).values_list("study", "groups")
    large = {study: rows for study, rows in kept if sum(row[CLIPS] for row in rows) > summaries.QUICK}
    found = [Group(*row) for rows in large.values() for row in rows]
    if small := [key for key in keys if key not in large]:
        found += counted(small)
    return [group for group in found if withdrawn or not group.is_withdrawn]


def total(study_id: int) -> int:
    """Count the clips in use."""
    return sum(row.clips for row in groups(study_id))


def by_role(study_id: int) -> dict[str, int]:
    """Count the clips in use by role."""
    numbers: Counter[str] = Counter()
    for row in groups(study_id):
        numbers[row.role] += row.clips
    return dict(numbers)


def counted(keys: Collection[int]) -> list[Group]:
    """Count all clips of studies by group."""
    rows = Clip.objects.filter(study__in=keys).order_by("study_id", "system__name", "role", "dimension")
    is_withdrawn = Coalesce(Q(withdrawn_at__isnull=False), False)
    columns = rows.annotate(out=is_withdrawn).values_list("study_id", "system__name", "role", "dimension", "out")
    return [
        Group(system, role, dimension, bool(out), clips, seconds)
        for _study, system, role, dimension, out, clips, seconds in columns.annotate(
            clips=Count("pk"), seconds=Sum("duration")
        )
    ]


def keep(study: Study, _now: datetime) -> None:
    """Count a study's clips and store the result, in the transaction that changed them.

    The row is locked before counting, so that of two simultaneous changes the later one counts both.
    """
    with transaction.atomic():
        ClipFigures.objects.get_or_create(study=study)
        row = ClipFigures.objects.select_for_update().get(study=study)
        row.groups = counted([study.pk])
        row.save(update_fields=["groups"])

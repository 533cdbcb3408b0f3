"""What was computed before."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import QuerySet

from analysis.data.models import Simulated
from analysis.exports.models import Export
from analysis.live.models import Snapshot
from core.errors import NotFound


def snapshot(study_id: int, simulated: Simulated) -> Snapshot | None:
    """Return the figures last computed, or those on their way."""
    return Snapshot.objects.filter(study_id=study_id, simulated=simulated).first()


def exports(study_id: int) -> QuerySet[Export]:
    """Return a study's exports, newest first."""
    return Export.objects.filter(study_id=study_id).order_by("-pk")


def recent_exports(study_id: int, limit: int = 5) -> Sequence[Export]:
    """Return the newest exports."""
    return list(exports(study_id)[:limit])


def export(study_id: int, pk: int) -> Export:
    """Return one export of this study; raises `NotFound`."""
    found = exports(study_id).filter(pk=pk).first()
    if found is None:
        raise NotFound("There is no such export of this study.")
    return found

"""Plans that were made for a study."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.planning.models import PowerPlan
from core.errors import NotFound


def recent(study_id: int, limit: int) -> Sequence[PowerPlan]:
    """Return the newest plans."""
    return list(PowerPlan.objects.filter(study_id=study_id).order_by("-pk")[:limit])


def found(study_id: int, pk: int) -> PowerPlan:
    """Return one plan of this study; raises `NotFound`."""
    row = PowerPlan.objects.filter(study_id=study_id, pk=pk).first()
    if row is None:
        raise NotFound("There is no such plan of this study.")
    return row

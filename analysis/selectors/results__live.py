"""What was computed before."""

from __future__ import annotations

from analysis.data.models import Simulated
from analysis.live.models import Snapshot


def snapshot(study_id: int, simulated: Simulated) -> Snapshot | None:
    """Return the figures last computed, or those on their way."""
    return Snapshot.objects.filter(study_id=study_id, simulated=simulated).first()

"""How many usable answers came lately."""

from __future__ import annotations

from datetime import datetime

from raters.models import Trial


def usable_since(study_id: int, since: datetime) -> int:
    """Return the usable test answers of real raters since a moment; one SELECT."""
    rows = Trial.objects.filter(batch__session__study_id=study_id, batch__session__simulated=False)
    return rows.filter(pool__isnull=False, usable=True, answered_at__gte=since).count()

"""Figures of a study's pages, computed as a worker would."""

from __future__ import annotations

from datetime import datetime

from analysis.data.models import Simulated
from analysis.live import stored
from studies.models import Study
from studies.summaries import services as summaries
from studies.summaries.models import Summary


def compute(study: Study, now: datetime, simulated: Simulated = Simulated.WITHOUT) -> Summary:
    """Compute a study's figures now, and return their row."""
    stored.newest(study, simulated, now=now, at_once=True)
    row = Summary.objects.get(study=study, name=stored.FIGURES.name, choice=simulated)
    assert summaries.refresh(pk=row.pk, clock=lambda: now)
    row.refresh_from_db()
    return row


def rows() -> list[Summary]:
    """Return the rows of all figures."""
    return list(Summary.objects.filter(name=stored.FIGURES.name))

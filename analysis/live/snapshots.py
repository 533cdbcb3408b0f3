"""Figures of a study's page: requested when they are old, computed by a worker."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime, timedelta

from analysis.data.models import Simulated
from analysis.live import figures, result
from analysis.live.models import Snapshot
from analysis.live.result import Figures
from analysis.sections.results import dump
from core import jobs
from core.web import busy

MAX_AGE = timedelta(seconds=10)


def request_refresh(*, study_id: int, simulated: Simulated, now: datetime) -> int | None:
    """Queue the figures for computing when they are old enough; return the row to nudge a worker about.

    Where others write just now, somebody asks for them later: a page has those of a moment ago.
    """
    row = Snapshot.objects.filter(study=study_id, simulated=simulated).first()
    if row is not None and not is_due(row, now):
        return None
    return busy.if_free(lambda: _queue(study_id, simulated, now))


def is_due(row: Snapshot, now: datetime) -> bool:
    """Say whether figures are old enough to be computed again."""
    return row.is_over and (row.ended_at is None or now - row.ended_at >= patience(row))


def _queue(study_id: int, simulated: Simulated, now: datetime) -> int | None:
    row, is_new = Snapshot.objects.get_or_create(
        study_id=study_id, simulated=simulated, defaults={"state": jobs.QUEUED, "queued_at": now}
    )
    if is_new:
        return row.pk
    if not is_due(row, now):
        return None
    queued = Snapshot.objects.filter(pk=row.pk, state=row.state, ended_at=row.ended_at).update(
        state=jobs.QUEUED, queued_at=now, tries=0, error=""
    )
    return row.pk if queued else None


def patience(row: Snapshot) -> timedelta:
    """Return how long figures stay: ten seconds, or as long as they took, so that a worker is never busy with them."""
    if row.ended_at is None or row.computed_at is None:
        return MAX_AGE
    return max(MAX_AGE, row.ended_at - row.computed_at)


def refresh_snapshot(*, pk: int, clock: Callable[[], datetime]) -> bool:
    """Compute the figures of one row; False when another worker has it."""
    began = clock()
    snapshot = jobs.claim(Snapshot, pk, began)
    if snapshot is None:
        return False
    results = figures.compute(study_id=snapshot.study_id, simulated=Simulated(snapshot.simulated), now=began)
    return jobs.finish(snapshot, clock(), figures=dump(results), computed_at=began)


def snapshot(study_id: int, simulated: Simulated) -> Snapshot | None:
    """Return the figures last computed, or those on their way."""
    return Snapshot.objects.filter(study_id=study_id, simulated=simulated).first()


def figures_of(study_ids: Collection[int]) -> dict[int, Figures]:
    """Return {study: figures as last computed for real raters}, without those of an older form; one SELECT."""
    rows = Snapshot.objects.filter(study__in=study_ids, simulated=Simulated.WITHOUT, computed_at__isnull=False)
    loaded = ((row.study_id, result.load(row.figures)) for row in rows)
    return {study: shown for study, shown in loaded if shown is not None}

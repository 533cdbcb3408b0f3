"""Figures of a study's page: requested when they are old, computed by a worker."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from analysis.data.models import Simulated
from analysis.live import figures, result, totals
from analysis.live.models import Snapshot
from analysis.live.result import Figures
from analysis.sections.results import dump
from core import jobs
from core.web import busy
from studies.definition import queries as definition_queries
from studies.pool import queries as pool_queries

MAX_AGE = timedelta(seconds=10)
# Up to so many ratings, scores are computed with every refresh.
QUICK = 20_000
SHARE = 0.01
SCORES_STAY = timedelta(hours=1)
# The hour (UTC) from which all parts are read again.
NIGHT = 2


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
    """Compute the figures of one row; False when another worker has it.

    Reads the sessions that changed since the last time, or all once a night. What is made of all answers together, such
    as scores and their intervals, is computed again when it is due.
    """
    began = clock()
    snapshot = jobs.claim(Snapshot, pk, began)
    if snapshot is None:
        return False
    study, simulated = snapshot.study_id, Simulated(snapshot.simulated)
    definition = definition_queries.definition(definition_queries.study_of(study))
    is_full = snapshot.rebuilt_at is None or snapshot.rebuilt_at < last_night(began)
    refreshed = totals.refresh(snapshot, definition, began, is_full=is_full)
    fields = figures.work(study, simulated, definition, refreshed.whole, began)
    before = result.load(snapshot.figures)
    unscored = snapshot.unscored + refreshed.changed
    is_due = is_full or before is None or scores_are_due(snapshot, unscored, before.answers, began)
    if is_due:
        whole = totals.with_rows(snapshot, refreshed)
        fields |= figures.scored(study, simulated.flag, definition, whole, began)
        shown = result.Figures(**fields)
    else:
        assert before is not None
        shown = before.model_copy(update=fields)
    marks: dict[str, Any] = {"marks": refreshed.marks}
    marks |= {"scored_at": began if is_due else snapshot.scored_at, "unscored": 0 if is_due else unscored}
    marks |= {"rebuilt_at": began if is_full else snapshot.rebuilt_at}
    with transaction.atomic():
        if not jobs.finish(snapshot, clock(), figures=dump(shown), computed_at=began, **marks):
            return False
        totals.store(snapshot, refreshed)
    return True


def scores_are_due(row: Snapshot, unscored: int, answers: int, now: datetime) -> bool:
    """Say whether to compute scores again: always while that is quick, then for each 1 % of ratings, or each hour."""
    is_old = row.scored_at is None or now - row.scored_at >= SCORES_STAY or now < row.scored_at
    return is_old or answers <= QUICK or unscored >= SHARE * answers


def last_night(now: datetime) -> datetime:
    """Return the last moment at which all parts were to be read again."""
    tonight = now.replace(hour=NIGHT, minute=0, second=0, microsecond=0)
    return tonight if tonight <= now else tonight - timedelta(days=1)


def check_at_night(now: datetime) -> None:
    """Queue the figures that were not read as a whole since last night; a chore."""
    late = Snapshot.objects.filter(state__in=(jobs.DONE, jobs.FAILED), rebuilt_at__lt=last_night(now))
    late.filter(study__in=pool_queries.running()).update(state=jobs.QUEUED, queued_at=now, tries=0, error="")


def rescore(study_id: int) -> None:
    """Have the scores and the coverage of a study computed with the next figures: its clips have changed."""
    Snapshot.objects.filter(study=study_id).update(scored_at=None)


def snapshot(study_id: int, simulated: Simulated) -> Snapshot | None:
    """Return the figures last computed, or those on their way."""
    return Snapshot.objects.filter(study_id=study_id, simulated=simulated).first()


def figures_of(study_ids: Collection[int]) -> dict[int, Figures]:
    """Return {study: figures as last computed for real raters}, without those of an older form; one SELECT."""
    rows = Snapshot.objects.filter(study__in=study_ids, simulated=Simulated.WITHOUT, computed_at__isnull=False)
    loaded = ((row.study_id, result.load(row.figures)) for row in rows)
    return {study: shown for study, shown in loaded if shown is not None}

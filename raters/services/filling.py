"""Put answers into the queues of experts: in a worker, since a page must cost the same whatever a study has."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Collection
from datetime import datetime

from django.db.models import Q

from core import jobs
from raters.models import NewlyUsable, QueueFill, Trial
from raters.selectors import filling as select
from raters.services import coding, review_queue
from studies.selectors import experts, overview

logger = logging.getLogger(__name__)
QUEUES = (review_queue, coding)
# Batches that are looked at in one turn.
BATCHES = 200


def take_up_new(*, batch_ids: Collection[int] | None = None) -> int:
    """Put answers that became usable into the queues, of these batches or of any; return how many notes that were."""
    notes = NewlyUsable.objects.order_by("pk")
    if batch_ids is not None:
        notes = notes.filter(batch__in=batch_ids)
    rows = list(notes.values_list("pk", "batch", "batch__session__study")[:BATCHES])
    by_study: dict[int, set[int]] = defaultdict(set)
    for _pk, batch, study in rows:
        by_study[study].add(batch)
    for study, batches in by_study.items():
        try:
            _take_up(study, batches)
        except Exception:
            # The other studies don't wait for this one, and its notes stay.
            logger.exception("New answers of study %s could not be put into its queues", study)
        else:
            NewlyUsable.objects.filter(pk__in=[pk for pk, _batch, of in rows if of == study]).delete()
    return len(rows)


def _take_up(study_id: int, batches: Collection[int]) -> None:
    if not experts.queues([study_id]):
        return
    study = overview.study_of(study_id)
    trials = list(Trial.objects.filter(batch__in=batches, pool__isnull=False, usable=True).values_list("pk", flat=True))
    for queue in QUEUES:
        queue.take_up(study=study, trials=trials)


def queue_due(*, now: datetime) -> int:
    """Ask for a look at all answers of every study whose queues were never filled under the settings it has now."""
    due = select.outdated()
    QueueFill.objects.bulk_create(
        (QueueFill(study_id=study, state=jobs.QUEUED, queued_at=now) for study in due), ignore_conflicts=True
    )
    return QueueFill.objects.filter(study__in=due, state=jobs.DONE).update(state=jobs.QUEUED, queued_at=now, tries=0)


def ask(*, study_id: int, now: datetime) -> int | None:
    """Ask for a look at all answers of a study where the last one is old, or was under other settings.

    Returns the row to tell a worker about, if it was not asked before; a handful of statements, whatever the study has.
    """
    wanted = experts.queues([study_id]).get(study_id)
    if wanted is None:
        return None
    row, is_new = QueueFill.objects.get_or_create(
        study_id=study_id, defaults={"state": jobs.QUEUED, "queued_at": now, "wanted": ""}
    )
    is_outdated = ~Q(wanted=wanted) | Q(ended_at__lt=now - select.REST)
    over = QueueFill.objects.filter(is_outdated, pk=row.pk, state=jobs.DONE)
    return row.pk if is_new or over.update(state=jobs.QUEUED, queued_at=now, tries=0) else None


def fill(*, pk: int, clock: Callable[[], datetime]) -> bool:
    """Look at all answers of a study for those that its queues lack; False when that was done just now."""
    now = clock()
    is_old = Q(state=jobs.DONE, ended_at__lt=now - select.REST)
    QueueFill.objects.filter(is_old, pk=pk).update(state=jobs.QUEUED, queued_at=now, tries=0)
    row = jobs.claim(QueueFill, pk, now)
    if row is None:
        return False
    # As they were before the look: a change meanwhile asks for another.
    wanted = experts.queues([row.study_id]).get(row.study_id, "")
    study = overview.study_of(row.study_id)

    def goes_on() -> bool:
        return jobs.renew(row, clock(), done=0, total=0)

    number = sum(queue.fill(study=study, goes_on=goes_on) for queue in QUEUES)
    return jobs.finish(row, clock(), wanted=wanted, done=number)

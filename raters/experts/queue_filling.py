"""Fill the experts' queues in a worker, so that a page costs the same at any study size."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Collection
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.db.models import Q, QuerySet

from core import jobs
from core.database.prepared import Select, numbered, several
from raters.experts.answers import REST, AnswerKind
from raters.experts.coding import CODING
from raters.experts.models import QueueFill
from raters.experts.reviewing import REVIEW
from raters.rating.models import NewlyUsable, Trial
from studies.decisions import experts
from studies.definition import queries as definition_queries


def outdated() -> list[int]:
    """Return the studies that need a search with their current settings; two SELECTs."""
    wanted = experts.queues()
    known = QueueFill.objects.filter(study__in=wanted).values_list("study", "wanted", "state")
    stands = {study: was == wanted[study] or state != jobs.DONE for study, was, state in known}
    return [study for study in wanted if not stands.get(study, False)]


logger = logging.getLogger(__name__)
QUEUES: tuple[AnswerKind, ...] = (REVIEW, CODING)
# Batches processed per call.
BATCHES = 200


def take_up_new(*, batch_ids: Collection[int] | None = None) -> int:
    """Queue answers that became usable, in these batches or any; return the number of `NewlyUsable` rows read."""
    rows = NEWEST() if batch_ids is None else _notes_of(len(batch_ids))(**numbered("batch", batch_ids))
    by_study: dict[int, set[int]] = defaultdict(set)
    for _pk, batch, study in rows:
        by_study[study].add(batch)
    for study, batches in by_study.items():
        try:
            _take_up(study, batches)
        except Exception:
            # Continue with the other studies; this one's notes remain for the next call.
            logger.exception("New answers of study %s could not be put into its queues", study)
        else:
            NewlyUsable.objects.filter(pk__in=[pk for pk, _batch, of in rows if of == study]).delete()
    return len(rows)


def _notes() -> QuerySet[NewlyUsable, Any]:
    return NewlyUsable.objects.order_by("pk").values_list("pk", "batch", "batch__session__study")


NEWEST = Select(lambda: _notes()[:BATCHES])


@lru_cache(maxsize=64)
def _notes_of(count: int) -> Select:
    return Select(lambda: _notes().filter(batch__pk__in=several("batch", count)))


def _take_up(study_id: int, batches: Collection[int]) -> None:
    if not experts.queues([study_id]):
        return
    study = definition_queries.study_of(study_id)
    trials = list(Trial.objects.filter(batch__in=batches, pool__isnull=False, usable=True).values_list("pk", flat=True))
    for queue in QUEUES:
        queue.fill(study=study, trials=trials)


def fill_due(*, now: datetime) -> None:
    """Queue new answers that no worker has queued yet, and request the searches that are due."""
    take_up_new()
    queue_due(now=now)


def queue_due(*, now: datetime) -> int:
    """Request a search for every study that needs one with its current settings."""
    due = outdated()
    QueueFill.objects.bulk_create(
        (QueueFill(study_id=study, state=jobs.QUEUED, queued_at=now) for study in due), ignore_conflicts=True
    )
    return QueueFill.objects.filter(study__in=due, state=jobs.DONE).update(state=jobs.QUEUED, queued_at=now, tries=0)


def fill(*, pk: int, clock: Callable[[], datetime]) -> bool:
    """Add a study's missing answers to its queues; False if a search ended very recently."""
    now = clock()
    is_old = Q(state=jobs.DONE, ended_at__lt=now - REST)
    QueueFill.objects.filter(is_old, pk=pk).update(state=jobs.QUEUED, queued_at=now, tries=0)
    row = jobs.claim(QueueFill, pk, now)
    if row is None:
        return False
    # Read before the search, so that a change of settings during it triggers another one.
    wanted = experts.queues([row.study_id]).get(row.study_id, "")
    study = definition_queries.study_of(row.study_id)

    def goes_on() -> bool:
        return jobs.renew(row, clock(), done=0, total=0)

    number = sum(queue.fill(study=study, goes_on=goes_on) for queue in QUEUES)
    return jobs.finish(row, clock(), wanted=wanted, done=number)

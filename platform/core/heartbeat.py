"""Renew a job's lease during one long step, so that no other worker takes the row."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from threading import Event, Thread
from typing import Any

from django.db import DatabaseError, connection

from core.jobs import LEASE, RUNNING, Job

logger = logging.getLogger(__name__)

EVERY = LEASE / 4


@contextmanager
def beating(job: Job, clock: Callable[[], datetime], *, every: float = EVERY.total_seconds()) -> Iterator[None]:
    """Renew the lease of a running row every half minute until the block ends; a killed worker's lease runs out."""
    over = Event()
    thread = Thread(target=_beat, args=(job, clock, every, over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _beat(job: Job, clock: Callable[[], datetime], every: float, over: Event) -> None:
    rows: Any = type(job)._default_manager
    while not over.wait(every):
        try:
            rows.filter(pk=job.pk, state=RUNNING, tries=job.tries).update(lease_until=clock() + LEASE)
        except DatabaseError as error:
            logger.warning("The lease of %s %s was not renewed, and is tried again: %s", job.task_name, job.pk, error)
        finally:
            # This thread's own connection: nobody else would close it.
            connection.close()

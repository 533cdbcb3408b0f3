"""Background jobs as rows: the state is in the database, and a message only tells workers to look.

A worker claims a row by a conditional update, renews its lease while it works (`keeper`), and writes the end in the
same transaction as the result. Rows that no message reached, or whose worker died, are found by `due`.
"""

from __future__ import annotations

import errno
import logging
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cache
from threading import Thread
from typing import Any, TypeVar, cast

from django.apps import apps
from django.conf import settings
from django.db import DatabaseError, connection, models
from django.db.models import F, Min, Q
from django.utils.translation import gettext as _

from core.database.prepared import Objects, Parameter, Update

# A worker that has not renewed its lease for so long is dead or stopped; EVERY is in seconds.
LEASE, EVERY = timedelta(seconds=30), 5.0
# A nudge usually arrives at once; the sweep leaves fresh rows to it.
PATIENCE = timedelta(seconds=3)
MAX_TRIES = 5

QUEUED, RUNNING, DONE, FAILED = "queued", "running", "done", "failed"
logger = logging.getLogger(__name__)
FULL = {errno.ENOSPC, errno.EDQUOT}


class Job(models.Model):
    """A job that a worker does once."""

    state = models.CharField(max_length=10, default=QUEUED)
    queued_at = models.DateTimeField(null=True)
    lease_until = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    tries = models.PositiveSmallIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True, default="")

    # The task that works on a row of this table, called with the row's primary key.
    task_name = ""
    # True: a row tried too often fails. False: it is tried again whenever its lease runs out.
    gives_up = True

    class Meta:
        abstract = True

    @property
    def percent(self) -> int:
        """Return how much is done, 0 to 100."""
        return 100 if self.state == DONE else min(99, 100 * self.done // self.total) if self.total else 0

    @property
    def is_over(self) -> bool:
        return self.state in {DONE, FAILED}


J = TypeVar("J", bound=Job)


class Keeper:
    """Renews the leases of the rows that this process has claimed, in a thread, however long a step of the work takes.

    A row that another worker has taken over since is left alone.
    """

    def __init__(self) -> None:
        # The number of the claim by table and primary key.
        self.claims: dict[tuple[type[Job], int], int] = {}
        self.thread: Thread | None = None

    def add(self, job: Job) -> None:
        """Renew the lease of a row that was just claimed, until it is finished or this process ends."""
        self.claims[type(job), job.pk] = job.tries
        if self.thread is None and settings.KEEPS_LEASES:
            self.thread = Thread(target=self._run, name="leases", daemon=True)
            self.thread.start()

    def forget(self) -> None:
        """Let the leases run out: this process works on nothing any more."""
        self.claims.clear()

    def renew(self, now: datetime) -> None:
        """Renew all leases; what fails is tried again the next time."""
        for (model, pk), tries in list(self.claims.items()):
            rows: Any = model._default_manager
            try:
                rows.filter(pk=pk, state=RUNNING, tries=tries).update(lease_until=now + LEASE)
            except DatabaseError as error:
                logger.warning("The lease of %s %s was not renewed: %s", model.task_name, pk, error)

    def _run(self) -> None:
        from core import clock

        while True:
            time.sleep(EVERY)
            if self.claims:
                self.renew(clock.now())
                # Only this thread can close its own connection.
                connection.close()


keeper = Keeper()


def claim(model: type[J], pk: int, now: datetime) -> J | None:
    """Take a queued row, or a running one whose lease ran out; None when another worker has it or it is over."""
    take, read = _claiming(model)
    if not take(pk=pk, now=now, until=now + LEASE):
        return None
    job = cast(J, read(pk=pk)[0])
    keeper.add(job)
    return job


@cache
def _claiming(model: type[J]) -> tuple[Update, Objects[J]]:
    """Return the queries that take a row and read it."""
    rows: Any = model._default_manager
    now, until = Parameter("now", models.DateTimeField()), Parameter("until", models.DateTimeField())
    is_free = Q(state=QUEUED) | Q(state=RUNNING, lease_until__lt=now)
    take = Update(
        lambda: rows.filter(is_free, pk=Parameter("pk")),
        # If it is lost in a crash of the database, the row waits as before.
        durable=False,
        state=RUNNING,
        lease_until=until,
        tries=F("tries") + 1,
    )
    return take, Objects(model, lambda: rows.filter(pk=Parameter("pk")))


def renew(job: Job, now: datetime, *, done: int, total: int) -> bool:
    """Report progress and keep the lease; False when the row was taken over and this worker must stop."""
    rows: Any = type(job)._default_manager
    return bool(
        rows.filter(pk=job.pk, state=RUNNING, tries=job.tries).update(lease_until=now + LEASE, done=done, total=total)
    )


def finish(job: Job, now: datetime, *, error: str = "", **fields: Any) -> bool:
    """Write the end, inside the transaction that writes the result; False when the row was taken over."""
    fields |= {"state": FAILED if error else DONE, "ended_at": now, "error": error}
    end = _finishing(type(job), tuple(sorted(fields)))
    keeper.claims.pop((type(job), job.pk), None)
    return bool(end(pk=job.pk, claimed=job.tries, **fields))


@cache
def _finishing(model: type[Job], names: tuple[str, ...]) -> Update:
    """Return the query that writes the end of a row with these fields."""
    rows: Any = model._default_manager
    changes: dict[str, Any] = {name: Parameter(name, cast(Any, model._meta.get_field(name))) for name in names}
    return Update(
        lambda: rows.filter(pk=Parameter("pk"), state=RUNNING, tries=Parameter("claimed")), lease_until=None, **changes
    )


def release(task: str, pk: int, now: datetime) -> None:
    """Free a row whose worker was killed. If another one has it by now, that one is fenced off as if it were slow."""
    for model in job_models():
        if model.task_name == task:
            rows: Any = model._default_manager
            rows.filter(pk=pk, state=RUNNING, lease_until__gt=now).update(lease_until=now)


def due(now: datetime) -> Iterator[tuple[str, int]]:
    """Yield (task name, primary key) of every row that waits for a worker; rows that were tried too often fail."""
    for model in job_models():
        rows: Any = model._default_manager
        waiting = rows.filter(Q(state=QUEUED, queued_at__lt=now - PATIENCE) | Q(state=RUNNING, lease_until__lt=now))
        if model.gives_up:
            waiting.filter(tries__gte=MAX_TRIES).update(
                state=FAILED, ended_at=now, lease_until=None, error="The worker stopped each time it tried this."
            )
        for pk in waiting.order_by("pk").values_list("pk", flat=True)[:500]:
            yield model.task_name, pk


def waiting_since(model: type[Job], now: datetime) -> datetime | None:
    """Return since when the oldest row of a table has waited for a worker, or None; two SELECTs."""
    rows: Any = model._default_manager
    first = {QUEUED: "queued_at", RUNNING: "lease_until"}
    moments = [rows.filter(state=state).aggregate(first=Min(field))["first"] for state, field in first.items()]
    return min((moment for moment in moments if moment is not None and moment < now), default=None)


def job_models() -> list[type[Job]]:
    """Return every table of jobs."""
    return [model for model in apps.get_models() if issubclass(model, Job)]


class TakenOver(Exception):
    """Another worker has this row now."""


def explain(error: Exception) -> str:
    """Return an error message with its remedy."""
    if isinstance(error, OSError) and error.errno in FULL:
        return _("There is no room left on the server’s disk. Free some space, then try again.")
    if isinstance(error, PermissionError):
        return _("The server may not write to its own data folder. Give it the right to, then try again.")
    if isinstance(error, DatabaseError):
        return _("The database did not answer. Try again in a minute.")
    return _("Something unforeseen went wrong ({name}); the worker’s log says where. Try again.").format(
        name=type(error).__name__
    )

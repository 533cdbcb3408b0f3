"""The Celery app of the worker and the beat: `celery -A config.celery worker`."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any

from billiard.exceptions import WorkerLostError
from celery import Celery
from celery.signals import (
    beat_init,
    before_task_publish,
    celeryd_init,
    heartbeat_sent,
    task_failure,
    task_postrun,
    task_prerun,
    worker_process_init,
)

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# Python's own warnings go to the log, in the form of its lines.
logging.captureWarnings(True)
app = Celery("earshot")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
# Celery closes a process's database connections around every task; after so many it may still do so.
app.conf["CELERY_DB_REUSE_MAX"] = 1000


@celeryd_init.connect
@beat_init.connect
def require(**_: Any) -> None:
    """Stop at the start if a setting is invalid, or keys or tables don't match the database."""
    from django.core.exceptions import ImproperlyConfigured

    from core.operations.checks import require_for_jobs
    from core.operations.starting import require_if_reachable

    try:
        require_for_jobs()
        require_if_reachable()
    except ImproperlyConfigured as error:
        # Celery only logs other exceptions of a signal, and the process would continue.
        raise SystemExit(str(error).strip()) from None


@worker_process_init.connect
def follow_clock(**_: Any) -> None:
    """Use the database's time."""
    from core import clock

    clock.follow()


@task_prerun.connect
@task_postrun.connect
def end_task(task: Any, **_: Any) -> None:
    """Keep no lease longer than its task, and return connections to the process's pool, as after a request."""
    from django.db import close_old_connections

    from core import jobs

    if not task.request.is_eager:
        jobs.keeper.forget()
        close_old_connections()


@task_prerun.connect
def number(task: Any, args: Any, **_: Any) -> None:
    """Add the task's name and row to its log lines."""
    from core.operations import logs

    logs.begin(task=task.name, **({"row": args[0]} if args and isinstance(args[0], int) else {}))


@task_failure.connect
def release(sender: Any, exception: BaseException, args: Any, **_: Any) -> None:
    """In the main process: free the row of a worker process that was killed, instead of waiting for its lease."""
    if isinstance(exception, WorkerLostError) and args and isinstance(args[0], int):
        from core import clock, jobs
        from core.database import forking

        try:
            jobs.release(sender.name, args[0], clock.now())
        finally:
            # The process forked in its place opens its own connections.
            forking.close_all()


@heartbeat_sent.connect
@before_task_publish.connect(sender="core.sweep")
def touch(**_: Any) -> None:
    """Show the parent process that this worker or beat is alive; both signals come every few seconds."""
    if path := os.environ.get("LAUNCHER_ALIVE"):
        Path(path).touch()

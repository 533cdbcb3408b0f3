"""Tell a worker that there is work; a lost message costs a few seconds, never the work."""

from __future__ import annotations

import logging
from functools import partial

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)


def nudge(task_name: str, pk: int) -> None:
    """Send the key of a job's row to the task of this name once the current transaction is committed.

    A broker that is down breaks no page: the row is the job, and the sweep finds it.
    """
    transaction.on_commit(partial(_send, task_name, pk))


def _send(task_name: str, pk: int) -> None:
    try:
        current_app.send_task(task_name, args=[pk])
    except OperationalError as error:
        logger.warning("No broker to tell about %s %s; the sweep will find it: %s", task_name, pk, error)

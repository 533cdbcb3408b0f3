"""Tell a worker that there is something to do; losing the message costs a few seconds, never the work."""

from __future__ import annotations

import logging
from functools import partial
from typing import Any

from django.db import transaction
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)


def nudge(task: Any, pk: int) -> None:
    """Send `task` the key of a job's row once the transaction at hand is committed.

    A broker that is down breaks no page: the row is the job, and the sweep finds it.
    """
    transaction.on_commit(partial(_send, task, pk))


def _send(task: Any, pk: int) -> None:
    try:
        task.delay(pk)
    except OperationalError as error:
        logger.warning("No broker to tell about %s %s; the sweep will find it: %s", task.name, pk, error)

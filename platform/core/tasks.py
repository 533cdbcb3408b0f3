"""The sweep: send again what no worker has picked up."""

from __future__ import annotations

import logging

from celery import current_app, shared_task

from core import clock, hooks, jobs
from core.models import Sweep

logger = logging.getLogger(__name__)


@shared_task(name="core.sweep")
def sweep() -> None:
    """Nudge every waiting job, then let each app do its periodic work."""
    for task, pk in jobs.due(clock.now()):
        current_app.send_task(task, args=[pk], expires=60)
    for chore in hooks.chores:
        try:
            chore(now=clock.now())
        except Exception:
            # A chore that fails doesn't stop the others; the next sweep runs it again.
            logger.exception("%s.%s failed", chore.__module__, getattr(chore, "__qualname__", chore))
    Sweep.objects.update_or_create(pk=1, defaults={"at": clock.now()})

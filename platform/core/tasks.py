"""The sweep: send again what no worker has picked up."""

from __future__ import annotations

from celery import current_app, shared_task

from core import clock, hooks, jobs


@shared_task(name="core.sweep")
def sweep() -> None:
    """Nudge every waiting job, then let each app do its periodic work."""
    for task, pk in jobs.due(clock.now()):
        current_app.send_task(task, args=[pk], expires=60)
    for chore in hooks.chores:
        chore(clock.now())

"""Celery tasks of the judge."""

from __future__ import annotations

from celery import shared_task

from core import clock


@shared_task(name="judge.run")
def run(pk: int) -> None:
    """Work on a run for one slice, and queue the next one if needed."""
    from core.nudge import nudge
    from judge.runs import run_jobs

    if run_jobs.work(pk=pk, clock=clock.now):
        nudge(run.name, pk)

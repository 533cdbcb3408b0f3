"""Work for the worker: a key in, one service called."""

from __future__ import annotations

from celery import shared_task

from core import clock


@shared_task(name="judge.run")
def run(pk: int) -> None:
    """Put a study's clips before the judge for a while, and come again when there are more."""
    from core.nudge import nudge
    from judge.runs import run_jobs

    if run_jobs.work(pk=pk, clock=clock.now):
        nudge(run.name, pk)

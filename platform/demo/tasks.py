"""What workers do for the demo."""

from __future__ import annotations

from celery import shared_task

from core import clock


@shared_task(name="demo.make_finished")
def make_finished(pk: int) -> None:
    """Make a finished study."""
    from demo import finished

    finished.run(pk=pk, clock=clock.now)


@shared_task(name="demo.analyse_finished")
def analyse_finished(pk: int) -> None:
    """Analyse a finished study."""
    from demo import finished

    finished.analyse(pk=pk, clock=clock.now)

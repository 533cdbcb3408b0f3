"""Celery tasks of raters."""

from __future__ import annotations

from celery import shared_task

from core import clock
from raters.rating import batches


@shared_task(name="raters.validate_batch")
def validate_batch(pk: int) -> None:
    """Validate one full batch."""
    batches.validate(pk=pk, now=clock.now())


@shared_task(name="raters.erase")
def erase(pk: int) -> None:
    """Carry out an erasure request once it is due."""
    from raters.privacy import erasing

    erasing.carry_out(pk=pk, clock=clock.now)


@shared_task(name="raters.read_submissions")
def read_submissions(pk: int) -> None:
    """Read a study's submissions from the platform."""
    from raters.payments import platform_studies

    platform_studies.read(pk=pk, clock=clock.now)


@shared_task(name="raters.carry_out")
def carry_out(pk: int) -> None:
    """Carry out a confirmed payment list."""
    from raters.payments import sending

    sending.carry_out(pk=pk, clock=clock.now)


@shared_task(name="raters.dry_run")
def dry_run(pk: int) -> None:
    """Run simulated raters through a copy of a draft."""
    from raters.previews import dry_runs

    dry_runs.run(pk=pk, clock=clock.now)


@shared_task(name="raters.fill_queues")
def fill_queues(pk: int) -> None:
    """Search for answers missing from a study's expert queues."""
    from raters.experts import queue_filling

    queue_filling.fill(pk=pk, clock=clock.now)


@shared_task(name="raters.simulate")
def simulate(pk: int) -> None:
    """Let simulated raters take part in a study."""
    from raters.simulation import runs

    runs.run(pk=pk, clock=clock.now)

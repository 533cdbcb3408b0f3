"""What workers do for studies."""

from __future__ import annotations

from celery import shared_task

from core import clock, nudge
from studies.audit import measuring, previewing
from studies.drafting import kinds
from studies.imports import requests
from studies.summaries import services as summaries


@shared_task(name="studies.import_clips")
def import_clips(pk: int) -> None:
    """Do one import of clips."""
    requests.run_import(pk=pk)


@shared_task(name="studies.audit_clips")
def audit_clips(pk: int) -> None:
    """Measure the clips of a study that were not measured yet."""
    measuring.run(pk=pk)


@shared_task(name="studies.preview_repair")
def preview_repair(pk: int) -> None:
    """Try a repair on some clips of each system."""
    previewing.run(pk=pk)


@shared_task(name="studies.draft")
def draft(pk: int) -> None:
    """Draft texts or questions for a while, and continue where there is more to do."""
    if kinds.work(pk=pk, clock=clock.now):
        nudge.nudge("studies.draft", pk)


@shared_task(name="studies.refresh_summary")
def refresh_summary(pk: int) -> None:
    """Compute what a page shows of all rows of a large study."""
    summaries.refresh(pk=pk, clock=clock.now)

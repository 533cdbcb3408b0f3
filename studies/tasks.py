"""What workers do for studies."""

from __future__ import annotations

from celery import shared_task

from studies.audit import measuring, previewing
from studies.imports import requests


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

"""What workers do for studies."""

from __future__ import annotations

from celery import shared_task

from studies.imports import requests


@shared_task(name="studies.import_clips")
def import_clips(pk: int) -> None:
    """Do one import of clips."""
    requests.run_import(pk=pk)

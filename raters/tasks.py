"""What workers do for raters."""

from __future__ import annotations

from celery import shared_task

from core import clock
from raters.services import batches


@shared_task(name="raters.validate_batch")
def validate_batch(pk: int) -> None:
    """Decide one full batch."""
    batches.validate(pk=pk, now=clock.now())

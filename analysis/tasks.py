"""Work for the worker: a key in, one service called."""

from __future__ import annotations

from celery import shared_task

from core import clock


@shared_task(name="analysis.refresh_snapshot")
def refresh_snapshot(pk: int) -> None:
    """Compute the figures of a study's page."""
    from analysis.services import snapshots

    snapshots.refresh_snapshot(pk=pk, clock=clock.now)


@shared_task(name="analysis.build_export")
def build_export(pk: int) -> None:
    """Write an export's tables."""
    from analysis.services import exports

    exports.build_export(pk=pk, clock=clock.now)

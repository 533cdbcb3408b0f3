"""Celery tasks: each takes a key and calls one service."""

from __future__ import annotations

from celery import shared_task

from core import clock


@shared_task(name="analysis.build_export")
def build_export(pk: int) -> None:
    """Write an export's tables."""
    from analysis.exports import building

    building.build_export(pk=pk, clock=clock.now)


@shared_task(name="analysis.score_dnsmos")
def score_dnsmos(pk: int) -> None:
    """Score a study's clips by DNSMOS."""
    from analysis.metrics import dnsmos

    dnsmos.run(pk=pk, clock=clock.now)


@shared_task(name="analysis.compare_machines")
def compare_machines(pk: int) -> None:
    """Compare metrics with listeners."""
    from analysis.comparisons import comparing

    comparing.compare(pk=pk, clock=clock.now)


@shared_task(name="analysis.run_analysis")
def run_analysis(pk: int) -> None:
    """Compute all figures of a study."""
    from analysis.runs import analyses

    analyses.run(pk=pk, clock=clock.now)


@shared_task(name="analysis.plan_power")
def plan_power(pk: int) -> None:
    """Compute how many raters a study needs."""
    from analysis.planning import plans

    plans.run_plan(pk=pk, clock=clock.now)


@shared_task(name="analysis.take_look")
def take_look(pk: int) -> None:
    """Compute a planned interim analysis."""
    from analysis.planning import looks

    looks.take_look(pk=pk, clock=clock.now)

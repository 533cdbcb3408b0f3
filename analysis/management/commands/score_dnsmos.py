"""Score a study's clips by DNSMOS, here and now."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analysis.metrics import dnsmos
from analysis.metrics import queries as metrics_queries
from core import clock, jobs
from core.errors import DomainError
from studies.definition import queries as definition_queries


class Command(BaseCommand):
    help = "Score a study's clips by DNSMOS on the processor, as the study's page does; what is there already stays."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="short name of the study")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            study = definition_queries.study(options["slug"])
            job = dnsmos.request_run(study_id=study.pk, by=None, now=clock.now())
        except DomainError as error:
            raise CommandError(error.message) from error
        if not dnsmos.run(pk=job.pk, clock=clock.now):
            raise CommandError("A worker is scoring these clips already; the study's page shows how far it is.")
        job.refresh_from_db()
        if job.state != jobs.DONE:
            raise CommandError(job.error)
        metric_sets = [metrics_queries.metric_set(study.pk, pk) for pk in job.sets.values()]
        counted = metrics_queries.coverage(metric_sets, study.pk)
        for each in metric_sets:
            self.stdout.write(f"{each.name}: {counted[each.pk].scored} values, {counted[each.pk].failed} failed.")
        for clip, failure in metrics_queries.failures(metric_sets[0].pk).items():
            self.stdout.write(f"  {clip}: {failure}")

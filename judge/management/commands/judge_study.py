"""Score a study's clips with the judge, from the command line."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core import clock, jobs
from core.errors import DomainError
from judge.client import configured
from judge.runs import queries as runs_queries
from judge.runs import run_jobs
from judge.runs.models import JudgeRun
from studies.definition import queries as definition_queries

# Seconds between checks of a run that waits for its judge or for a worker.
PAUSE = 5.0


class Command(BaseCommand):
    help = "Score a study's clips with the judge, wait until it is done, and list clips that could not be scored."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="short name of the study")
        parser.add_argument("--profile", default="", help="how to ask (EARSHOT_JUDGE_PROFILE, else the judge's first)")
        parser.add_argument(
            "--give-up", action="store_true", help="stop instead of waiting if the judge doesn't answer"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not configured.is_configured():
            raise CommandError("No judge is set up: EARSHOT_JUDGE_URL is empty.")
        try:
            study = definition_queries.study(options["slug"])
        except DomainError as error:
            raise CommandError(error.message) from error
        profile = options["profile"] or configured.usual_profile()
        run = run_jobs.request_run(study_id=study.pk, profile=profile, user=None, now=clock.now())
        waits_for = self._finish(run, gives_up=options["give_up"])
        if run.state != jobs.DONE:
            raise CommandError(run.error or waits_for)
        outcome = runs_queries.outcome(run)
        for failure in outcome.failures:
            self.stdout.write(f"{failure.file}: {failure.message} ({failure.code})")
        name = run.metric_set.name if run.metric_set else ""
        self.stdout.write(f"{outcome.scored} of {run.total} clips have a score ({run.asked} asked now): {name}")

    def _finish(self, run: JudgeRun, *, gives_up: bool) -> str:
        """Work on the run until it is over; return why it waits if it is left waiting."""
        while not run.is_over:
            is_more = run_jobs.work(pk=run.pk, clock=clock.now)
            run.refresh_from_db()
            if run.waits_for and gives_up:
                return run.waits_for
            if not is_more and not run.is_over:
                self.stderr.write(run.waits_for or "Another worker has this run; waiting for it.")
                time.sleep(PAUSE)
        return ""

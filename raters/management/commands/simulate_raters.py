"""Simulate raters: `manage.py simulate_raters SLUG --raters N --seed S [--careless SHARE]`."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core import clock
from core.errors import DomainError, Invalid
from raters.simulation.simulated_sessions import simulate
from studies.definition import facts


class Command(BaseCommand):
    help = "Simulate whole sessions of raters; they are marked as simulated and take no real rater's place."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="the study's address, such as demo")
        parser.add_argument("--raters", type=int, required=True, metavar="N", help="how many")
        parser.add_argument(
            "--seed",
            type=int,
            required=True,
            metavar="S",
            help="seed of the simulation; another seed simulates other people",
        )
        parser.add_argument(
            "--careless",
            type=float,
            default=0.2,
            metavar="SHARE",
            help="share of raters who answer at random (default 0.2)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            study = facts.by_slug(options["slug"])
            summary = simulate(
                study_id=study.id,
                raters=options["raters"],
                seed=options["seed"],
                careless=options["careless"],
                now=clock.now(),
                progress=self.report,
            )
        except DomainError as error:
            fields = error.problems.items() if isinstance(error, Invalid) else ()
            raise CommandError(" ".join([error.message, *(f"{field}: {text}" for field, text in fields)])) from error
        self.stdout.write(
            f"{study.slug}: {summary.sessions} simulated sessions ({summary.careless} careless, {summary.new} new), "
            f"{summary.answers} answers, {summary.valid} batches valid, {summary.invalid} invalid."
        )

    def report(self, done: int, total: int) -> None:
        if done == total or done % max(1, total // 10) == 0:
            self.stdout.write(f"{done} of {total} sessions simulated")
            self.stdout.flush()

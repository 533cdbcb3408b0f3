"""`launch_study SLUG`: run the launch checks and, unless one blocks, open the study."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from core import clock, rng
from core.errors import DomainError
from studies import hooks
from studies.definition.queries import get
from studies.launch import checks, states


class Command(BaseCommand):
    help = "Check a draft, print the findings, and launch it; exit with 1 if a finding blocks the launch."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            study = get(options["slug"])
            for finding in checks.findings(study):
                self.stdout.write(f"{finding.level}: {finding.message}")
            version = states.launch(study=study, now=clock.now(), rng=rng.fresh())
        except DomainError as error:
            message = "Not launched." if error.code == "launch_blocked" else error.message
            raise CommandError(message) from None
        self.stdout.write(f"{study.slug} is live with version {version.number} ({version.sha256[:12]}).")
        launch_page = reverse("studies:launch", args=[study.slug])
        self.stdout.write(f"The raters' link: see {settings.BASE_URL}{launch_page}")
        for link in hooks.study_links:
            self.stdout.write(f"{link.label}: {settings.BASE_URL}{reverse(link.url_name, args=[study.slug])}")

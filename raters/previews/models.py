"""Dry runs: simulated raters in a copy of a draft, and what they left behind."""

from __future__ import annotations

from django.db import models

from core.jobs import Job


class DryRun(Job):
    """A job that lets simulated raters go through a copy of a study; the newest one of each study is kept."""

    study = models.OneToOneField("studies.Study", models.CASCADE, related_name="+")
    raters = models.PositiveIntegerField()
    # The copy in which it runs, so that a try that was killed leaves none behind.
    copy = models.BigIntegerField(null=True)
    result = models.JSONField(null=True)
    # The figures of the Results page, from simulated answers alone: no list, export or endpoint reads them.
    figures = models.JSONField(null=True)

    task_name = "raters.dry_run"

    def __str__(self) -> str:
        return f"dry run of {self.study}"

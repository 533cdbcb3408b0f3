"""Dry runs: simulated raters in a copy of a draft, and their results."""

from __future__ import annotations

from django.db import models

from core.jobs import Job


class DryRun(Job):
    """A job that runs simulated raters through a copy of a study; only the newest one per study is stored."""

    study = models.OneToOneField("studies.Study", models.CASCADE, related_name="+")
    raters = models.PositiveIntegerField()
    # Stored so that the copy of an interrupted try can be deleted.
    copy = models.BigIntegerField(null=True)
    result = models.JSONField(null=True)
    # Figures of the Results page, from simulated answers only; not in lists, exports or API.
    figures = models.JSONField(null=True)

    task_name = "raters.dry_run"

    def __str__(self) -> str:
        return f"dry run of {self.study}"

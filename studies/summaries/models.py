"""Stored summaries."""

from __future__ import annotations

from django.db import models

from core.jobs import Job


class Summary(Job):
    """The newest result of a computation over all rows of a study, in one language."""

    study = models.ForeignKey("studies.Study", models.CASCADE, related_name="+", db_index=False)
    name = models.CharField(max_length=40)
    # A choice made on the page, such as the grouping of tables.
    choice = models.CharField(max_length=40, blank=True, default="")
    language = models.CharField(max_length=35)
    value = models.JSONField(null=True)
    computed_at = models.DateTimeField(null=True)
    # True if clips changed since, or during, the computation.
    is_outdated = models.BooleanField(default=False, db_default=False)

    task_name = "studies.refresh_summary"

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "name", "choice", "language"], name="summary_once")]

    def __str__(self) -> str:
        return f"{self.study} · {self.name}"

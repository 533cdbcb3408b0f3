"""Stored summaries."""

from __future__ import annotations

from django.db import models

from core.jobs import Job


class Summary(Job):
    """What a page shows of all rows of a study, in one language, as a worker computed it last."""

    study = models.ForeignKey("studies.Study", models.CASCADE, related_name="+", db_index=False)
    name = models.CharField(max_length=40)
    # What the page lets people choose, such as what tables are by.
    choice = models.CharField(max_length=40, blank=True, default="")
    language = models.CharField(max_length=35)
    value = models.JSONField(null=True)
    computed_at = models.DateTimeField(null=True)
    # Whether clips changed since it was computed, or while it was.
    is_outdated = models.BooleanField(default=False, db_default=False)

    task_name = "studies.refresh_summary"

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "name", "choice", "language"], name="summary_once")]

    def __str__(self) -> str:
        return f"{self.study} · {self.name}"

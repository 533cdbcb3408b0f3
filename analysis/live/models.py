"""Figures of a study's page, computed now and then."""

from __future__ import annotations

from django.db import models

from analysis.data.models import Simulated
from core.jobs import Job


class Snapshot(Job):
    """The figures of a study's page, computed by a worker at most every ten seconds."""

    study = models.ForeignKey("studies.Study", models.CASCADE, related_name="snapshots")
    simulated = models.CharField(max_length=10, choices=Simulated)
    figures = models.JSONField(default=dict)
    computed_at = models.DateTimeField(null=True)

    task_name = "analysis.refresh_snapshot"

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "simulated"], name="snapshot_once")]

    def __str__(self) -> str:
        return f"{self.study} · {self.simulated}"

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
    # How far the parts are: the newest rows that were read, and sessions that may still change.
    marks = models.JSONField(default=dict, db_default={})
    # When scores were computed last, and how many ratings came or went since.
    scored_at = models.DateTimeField(null=True)
    unscored = models.PositiveIntegerField(default=0, db_default=0)
    # When all parts were read last.
    rebuilt_at = models.DateTimeField(null=True)

    task_name = "analysis.refresh_snapshot"

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "simulated"], name="snapshot_once")]

    def __str__(self) -> str:
        return f"{self.study} · {self.simulated}"


class SnapshotPart(models.Model):
    """What the figures need of some sessions of a study, as `analysis.live.parts` reads it."""

    snapshot = models.ForeignKey(Snapshot, models.CASCADE, related_name="parts", db_index=False)
    number = models.PositiveBigIntegerField()
    small = models.JSONField()
    rows = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["snapshot", "number"], name="snapshot_part_once")]

    def __str__(self) -> str:
        return f"{self.snapshot} · part {self.number}"

"""Tables of release 0.1, kept while its processes may still run. The next release drops them."""

from __future__ import annotations

from django.db import models

from analysis.data.models import Simulated


class Snapshot(models.Model):
    """Figures of a study's page in release 0.1, now `studies.summaries`. No `Job`, or the sweep would queue it."""

    state = models.CharField(max_length=10, default="queued")
    queued_at = models.DateTimeField(null=True)
    lease_until = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    tries = models.PositiveSmallIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True, default="")
    study = models.ForeignKey("studies.Study", models.CASCADE, related_name="snapshots")
    simulated = models.CharField(max_length=10, choices=Simulated)
    figures = models.JSONField(default=dict)
    computed_at = models.DateTimeField(null=True)
    marks = models.JSONField(default=dict, db_default={})
    scored_at = models.DateTimeField(null=True)
    unscored = models.PositiveIntegerField(default=0, db_default=0)
    rebuilt_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "simulated"], name="snapshot_once")]

    def __str__(self) -> str:
        return f"{self.study} · {self.simulated}"


class SnapshotPart(models.Model):
    """The figures of some sessions of a study, in release 0.1."""

    snapshot = models.ForeignKey(Snapshot, models.CASCADE, related_name="parts", db_index=False)
    number = models.PositiveBigIntegerField()
    small = models.JSONField()
    rows = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["snapshot", "number"], name="snapshot_part_once")]

    def __str__(self) -> str:
        return f"{self.snapshot} · part {self.number}"

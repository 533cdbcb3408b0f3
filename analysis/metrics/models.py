"""Metrics of clips, the runs that compute them, and comparisons with listeners."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from analysis.data.models import Simulated
from core.jobs import Job


class MetricSet(models.Model):
    """One metric of a study's clips, one number per clip: DNSMOS, a judge, a word error rate and so on."""

    class Direction(models.TextChoices):
        HIGHER = "higher", _("higher is better")
        LOWER = "lower", _("lower is better")

    study = models.ForeignKey("studies.Study", models.CASCADE, related_name="metric_sets")
    name = models.CharField(max_length=100)
    # The origin: "import", "dnsmos", "judge", or as named by the importer.
    source = models.CharField(max_length=200, blank=True, default="")
    direction = models.CharField(max_length=10, choices=Direction, default=Direction.HIGHER)
    # A value is mapped to 0…1 only if both ends are given: (value − low) / (high − low).
    low = models.FloatField(null=True, blank=True)
    high = models.FloatField(null=True, blank=True)
    # Common to all values: versions, hashes, and under "training" the metric's training data.
    provenance = models.JSONField(default=dict)
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    # False while a job is still filling the set.
    active = models.BooleanField(default=True)
    # Clips with a number, and clips that failed; `sets.put` counts.
    scored = models.PositiveIntegerField(default=0, db_default=0)
    failed = models.PositiveIntegerField(default=0, db_default=0)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.name

    @property
    def is_scaled(self) -> bool:
        return self.low is not None and self.high is not None

    @property
    def is_mapped(self) -> bool:
        """True if mapping to 0…1, higher is better, changes the values."""
        return self.is_scaled and (self.low, self.high, self.direction) != (0.0, 1.0, self.Direction.HIGHER)


class ClipMetric(models.Model):
    """A metric's value for one clip, or why it has none."""

    metric_set = models.ForeignKey(MetricSet, models.CASCADE, related_name="values")
    clip = models.ForeignKey("studies.Clip", models.CASCADE, related_name="+")
    value = models.FloatField(null=True)
    failure = models.TextField(blank=True, default="")
    detail = models.JSONField(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["metric_set", "clip"], name="clip_metric_once")]
        indexes = [
            models.Index(fields=["metric_set", "clip"], name="clip_metric_failed", condition=models.Q(value=None))
        ]

    def __str__(self) -> str:
        return f"{self.metric_set}: {self.value if self.value is not None else self.failure}"


class DnsmosRun(Job):
    """A run of DNSMOS over a study's clips; clips that have all four values are not scored again."""

    study = models.ForeignKey("studies.Study", models.CASCADE, related_name="dnsmos_runs")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField()
    # {"ovrl": key of its metric set, …}
    sets = models.JSONField(default=dict)

    task_name = "analysis.score_dnsmos"

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.study} · DNSMOS {self.pk}"


class Comparison(Job):
    """A comparison of one metric or two with a study's raters."""

    study = models.ForeignKey("studies.Study", models.CASCADE, related_name="comparisons")
    first = models.ForeignKey(MetricSet, models.CASCADE, related_name="+")
    second = models.ForeignKey(MetricSet, models.CASCADE, null=True, blank=True, related_name="+")
    simulated = models.CharField(max_length=10, choices=Simulated)
    figures = models.JSONField(default=dict)
    # A row per clip (`ClipDifferences`), megabytes in a large study, so pages defer it.
    clips = models.JSONField(default=list, db_default=[])
    computed_at = models.DateTimeField(null=True)

    task_name = "analysis.compare_machines"

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["first", "second", "simulated"], name="comparison_once"),
            models.UniqueConstraint(
                fields=["first", "simulated"], condition=models.Q(second=None), name="comparison_alone_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.first} · {self.second or 'raters'} · {self.simulated}"

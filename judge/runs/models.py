"""Runs of the judge, and its judgements."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from core.jobs import Job


class JudgeRun(Job):
    """A job that scores a study's clips, in slices of a minute; its scores are a metric of the study."""

    study = models.ForeignKey("studies.Study", models.CASCADE, related_name="judge_runs")
    # As requested; empty means the judge's first.
    profile = models.CharField(max_length=200, blank=True, default="")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField()
    # The judge at the start; the run ends if another one answers later, so that scores aren't mixed.
    origin = models.JSONField(default=dict)
    metric_set = models.ForeignKey("analysis.MetricSet", models.SET_NULL, null=True, related_name="+")
    # Number of requeues without an error; they don't count as failed tries.
    pauses = models.PositiveIntegerField(default=0)
    # Why the run is waiting, shown on its page.
    waits_for = models.TextField(blank=True, default="")
    asked = models.PositiveIntegerField(default=0)
    cancelled_at = models.DateTimeField(null=True, blank=True)

    task_name = "judge.run"
    # It counts its own failures, because long runs are claimed many times.
    gives_up = False

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.study} · judge {self.pk}"


class Judgement(models.Model):
    """One clip's score by one judge, so that it is never requested twice."""

    audio_sha256 = models.CharField(max_length=64)
    # One hash of model, adapter, profile, engine, number format and preprocessing.
    judge_sha256 = models.CharField(max_length=64)
    value = models.FloatField(null=True)
    # Reason for a missing value, if another try would end the same way.
    code = models.CharField(max_length=40, blank=True, default="")
    message = models.TextField(blank=True, default="")
    detail = models.JSONField(default=dict)
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["judge_sha256", "audio_sha256"], name="judgement_once")]

    def __str__(self) -> str:
        return f"{self.audio_sha256[:12]}: {self.code or self.value}"

"""Interim analyses of contrasts, and plans of how many raters a study needs."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models

from core.jobs import Job


class Look(Job):
    """An interim analysis planned before launch: computed and recorded once, never changed."""

    study = models.ForeignKey("studies.Study", models.CASCADE, related_name="looks")
    number = models.PositiveSmallIntegerField()
    # As written in the study's settings.
    planned = models.CharField(max_length=40)
    due_at = models.DateTimeField()
    # Usable ratings that fill a wanted place, when the answers were read; their share of those wanted determines how
    # much error is spent.
    ratings = models.PositiveIntegerField(default=0)
    fraction = models.FloatField(default=0.0)
    # A `LookContrast` for each contrast.
    found = models.JSONField(default=list)

    task_name = "analysis.take_look"

    class Meta:
        ordering = ["study", "number"]
        constraints = [models.UniqueConstraint(fields=["study", "number"], name="look_once")]

    def __str__(self) -> str:
        return f"{self.study} · look {self.number}"


class PowerPlan(Job):
    """A plan of how many raters a study needs: inputs and results."""

    study = models.ForeignKey("studies.Study", models.CASCADE, related_name="power_plans")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField()
    inputs = models.JSONField()
    results = models.JSONField(default=dict)
    app_version = models.CharField(max_length=40, blank=True, default="")

    task_name = "analysis.plan_power"

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the plan, without its kind and unit."""
        return {name: value for name, value in self.inputs.items() if name not in ("kind", "unit")}

    @property
    def is_as_shown(self) -> bool:
        """True if scores are in the unit that pages show; plans of release 0.1 have that of stored scores."""
        return "unit" in self.inputs

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.study} · plan {self.pk}"

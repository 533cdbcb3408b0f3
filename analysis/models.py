"""Results kept so that pages are quick: snapshots of the figures, and exports."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.jobs import Job


class Simulated(models.TextChoices):
    """Which sessions a figure or an export reads."""

    WITHOUT = "without", _("without simulated raters")
    WITH = "with", _("with simulated raters")
    ONLY = "only", _("simulated raters only")

    @property
    def flag(self) -> bool | None:
        """Return what selectors ask for: real sessions (False), simulated ones (True), or both (None)."""
        return {"without": False, "with": None, "only": True}[self.value]


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


class Export(Job):
    """A ZIP of tables on its way to a download."""

    study = models.ForeignKey("studies.Study", models.CASCADE, related_name="exports")
    simulated = models.CharField(max_length=10, choices=Simulated, default=Simulated.WITHOUT)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = models.DateTimeField()
    file = models.CharField(max_length=200, blank=True, default="")
    bytes = models.PositiveBigIntegerField(default=0)

    task_name = "analysis.build_export"

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.study} · export {self.pk}"

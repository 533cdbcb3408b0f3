"""Which sessions count, and who looked at hidden scores."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class Simulated(models.TextChoices):
    """The sessions that a figure or an export includes."""

    WITHOUT = "without", _("without simulated raters")
    WITH = "with", _("with simulated raters")
    ONLY = "only", _("simulated raters only")

    @property
    def flag(self) -> bool | None:
        """The argument of selectors: real sessions (False), simulated ones (True), or both (None)."""
        return {"without": False, "with": None, "only": True}[self.value]


class ScoreOpening(models.Model):
    """An early opening of hidden scores, with its reason; `by` is empty for the shell."""

    study = models.ForeignKey("studies.Study", models.CASCADE, related_name="score_openings")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    reason = models.CharField(max_length=500)
    at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.study} · opened by {self.by or 'the shell'}"


class ScoreSight(models.Model):
    """A view of scores that were hidden from others: who, on which page, and when."""

    study = models.ForeignKey("studies.Study", models.CASCADE, related_name="score_sights")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    what = models.CharField(max_length=100)
    at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["study", "by", "what", "at"], name="score_sight")]

    def __str__(self) -> str:
        return f"{self.what} by {self.by or 'the shell'}"

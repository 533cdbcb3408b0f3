"""Models of clips held back from raters."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class Hold(models.Model):
    """Clips that a researcher held back by a rule, together; undone as a whole."""

    study = models.ForeignKey("studies.Study", models.CASCADE, related_name="holds")
    rule = models.JSONField()
    made_at = models.DateTimeField()
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    undone_at = models.DateTimeField(null=True, blank=True)
    undone_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.study} · held back {self.made_at:%Y-%m-%d %H:%M}"


class HeldClip(models.Model):
    """One clip of a hold, with the reason."""

    hold = models.ForeignKey(Hold, models.CASCADE, related_name="clips")
    clip = models.ForeignKey("studies.Clip", models.CASCADE, related_name="+")
    value = models.FloatField(null=True)
    reason = models.CharField(max_length=200)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["hold", "clip"], name="held_once")]

    def __str__(self) -> str:
        return f"{self.hold}: {self.reason}"

"""Requests that create something, so that one sent twice creates nothing twice."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class Creation(models.Model):
    """A request that makes something, known by its key: sent again, it makes nothing twice."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    key = models.CharField(max_length=255)
    digest = models.CharField(max_length=64)
    # The name of what was made; empty while it is being made.
    made = models.CharField(max_length=60, blank=True, default="")
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="creation_once")]

    def __str__(self) -> str:
        return self.key

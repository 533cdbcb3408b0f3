"""Keys of requests that create something, so that the same request creates nothing twice."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class Creation(models.Model):
    """A request that creates something, with its idempotency key."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    key = models.CharField(max_length=255)
    digest = models.CharField(max_length=64)
    # The name of the object; empty until it is created.
    made = models.CharField(max_length=60, blank=True, default="")
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="creation_once")]

    def __str__(self) -> str:
        return self.key

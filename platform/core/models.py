"""What the database remembers of the server that it belongs to."""

from __future__ import annotations

from django.db import models


class KeyFingerprint(models.Model):
    """A hash of one of the server's keys, by which another process notices that it has a different one."""

    name = models.CharField(max_length=20, primary_key=True)
    digest = models.CharField(max_length=64)

    def __str__(self) -> str:
        return self.name

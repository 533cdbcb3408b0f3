"""Fingerprints of the server's keys, counts that its processes share, and when a worker last swept."""

from __future__ import annotations

from django.db import models


class KeyFingerprint(models.Model):
    """A hash of one of the server's keys, by which another process notices that it has a different one."""

    name = models.CharField(max_length=20, primary_key=True)
    digest = models.CharField(max_length=64)

    def __str__(self) -> str:
        return self.name


class Count(models.Model):
    """Number of requests under a key that reveals neither the request nor the client (`core.web.limits`)."""

    key = models.CharField(max_length=32, primary_key=True)
    number = models.PositiveIntegerField(default=0)
    # Nothing is accepted before this moment.
    refused_until = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.key}: {self.number}"


class Sweep(models.Model):
    """When a worker last ended a sweep: one row."""

    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"swept at {self.at}"

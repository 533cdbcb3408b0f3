"""Large files that a program sends in parts."""

from __future__ import annotations

from math import ceil

from django.conf import settings
from django.db import models


class Upload(models.Model):
    """A file of known size and hash that is being sent."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    key = models.CharField(max_length=22, unique=True)
    name = models.CharField(max_length=255)
    bytes = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    part_bytes = models.PositiveIntegerField()
    created_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.name

    @property
    def part_count(self) -> int:
        """Return the number of parts."""
        return ceil(self.bytes / self.part_bytes)

    def size_of(self, number: int) -> int:
        """Return the bytes of a part, counted from 1; all but the last have the same size."""
        return min(self.part_bytes, self.bytes - (number - 1) * self.part_bytes)


class UploadPart(models.Model):
    """A received part, in the store."""

    upload = models.ForeignKey(Upload, models.CASCADE, related_name="parts", db_index=False)
    number = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    file = models.CharField(max_length=200)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["upload", "number"], name="upload_part_once")]
        ordering = ["number"]

    def __str__(self) -> str:
        return f"{self.upload} · part {self.number}"

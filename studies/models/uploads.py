"""Archives of clips that a browser sends in parts."""

from __future__ import annotations

from math import ceil

from django.conf import settings
from django.db import models

from accounts.models import Upload
from studies.models.study import Study


class ClipUpload(models.Model):
    """An archive of known size on its way in: straight to a bucket, or by way of this server."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="uploads")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    key = models.CharField(max_length=22, unique=True)
    name = models.CharField(max_length=255)
    bytes = models.PositiveBigIntegerField()
    part_bytes = models.PositiveIntegerField()
    created_at = models.DateTimeField(db_index=True)
    # Which store it goes to, what will be its name there, and what the bucket calls the upload.
    store = models.CharField(max_length=20, blank=True, default="")
    target = models.CharField(max_length=200, blank=True, default="")
    multipart = models.TextField(blank=True, default="")
    # Where its parts are, when they come to this server.
    parts = models.ForeignKey(Upload, models.SET_NULL, null=True, related_name="+")
    # Its name in the store once it is whole.
    file = models.CharField(max_length=200, blank=True, default="")

    def __str__(self) -> str:
        return self.name

    @property
    def part_count(self) -> int:
        """Return of how many parts it consists."""
        return ceil(self.bytes / self.part_bytes)

    def size_of(self, number: int) -> int:
        """Return how many bytes a part has, counted from 1; all but the last have the same size."""
        return min(self.part_bytes, self.bytes - (number - 1) * self.part_bytes)

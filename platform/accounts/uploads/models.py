"""Sets of files that are sent in parts."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from django.conf import settings
from django.db import models


class Upload(models.Model):
    """A set of files of known sizes that is being sent: its bytes are those of all files, one after another.

    Parts go to this server, or directly to a bucket.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    key = models.CharField(max_length=22, unique=True)
    name = models.CharField(max_length=255)
    bytes = models.PositiveBigIntegerField()
    # Of all bytes; empty if the sender can't compute it.
    sha256 = models.CharField(max_length=64)
    part_bytes = models.PositiveIntegerField()
    created_at = models.DateTimeField(db_index=True)
    # [[path, bytes], …]; empty for one file, which is called `name`.
    files = models.JSONField(default=list, db_default=models.Value([], models.JSONField()))
    # What it is for, and the hash of the list of files: sent again for the same purpose, it continues.
    purpose = models.CharField(max_length=100, default="", db_default="")
    listing = models.CharField(max_length=64, default="", db_default="")
    # The bucket, the name there, and the bucket's id of the parts until they are joined.
    store = models.CharField(max_length=20, default="", db_default="")
    target = models.CharField(max_length=200, default="", db_default="")
    multipart = models.TextField(default="", db_default="")

    def __str__(self) -> str:
        return self.name

    @property
    def part_count(self) -> int:
        """Return the number of parts."""
        return ceil(self.bytes / self.part_bytes)

    def size_of(self, number: int) -> int:
        """Return the bytes of a part, counted from 1; all but the last have the same size."""
        return min(self.part_bytes, self.bytes - (number - 1) * self.part_bytes)

    def places(self) -> Iterator[tuple[str, int, int]]:
        """Yield (path, first byte, bytes) of each file."""
        start = 0
        for path, size in self.files or [[self.name, self.bytes]]:
            yield path, start, size
            start += size


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

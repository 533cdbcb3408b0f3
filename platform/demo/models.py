"""The finished studies of the demo, as jobs of a worker."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from core.jobs import Job


class FinishedStudy(Job):
    """A finished study to be made; a study that its owner deletes is not made again."""

    slug = models.SlugField(max_length=60, unique=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")

    task_name = "demo.make_finished"

    class Meta:
        verbose_name_plural = "finished studies"

    def __str__(self) -> str:
        return self.slug

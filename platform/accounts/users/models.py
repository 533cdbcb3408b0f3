"""People who run studies, and wrong passwords tried in their name."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models


class User(AbstractUser):
    """A researcher with a login; raters have no accounts."""


class WrongPasswords(models.Model):
    """Number of wrong passwords tried for an account since its owner was last told."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="+")
    number = models.PositiveIntegerField(default=0)
    last_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.user}: {self.number}"

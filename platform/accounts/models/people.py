"""People who run studies."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser


class User(AbstractUser):
    """A researcher with a login; raters have none."""

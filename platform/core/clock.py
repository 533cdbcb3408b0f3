"""The one place that reads the wall clock; services take `now` as an argument."""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone


def now() -> datetime:
    """Return the current time in UTC."""
    return timezone.now()

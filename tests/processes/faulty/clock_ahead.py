"""A web server on a host whose clock is five minutes ahead."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone

right = timezone.now


def ahead() -> datetime:
    return right() + timedelta(minutes=5)


timezone.now = ahead

from config.wsgi import application  # noqa: E402

__all__ = ["application"]

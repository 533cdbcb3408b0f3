"""Forecast of the date when a study has enough ratings, at the current pace."""

from __future__ import annotations

from datetime import datetime, timedelta

# Minimum numbers for estimating the pace.
LEAST_RATINGS = 20
LEAST_TIME = timedelta(hours=6)
# Later dates only mean that the pace is too slow.
FARTHEST = timedelta(days=365)


def ready_at(*, left: int, recent: int, during: timedelta, now: datetime) -> datetime | None:
    """Return when the last of `left` ratings is expected, at the pace of the `recent` ones; None if unknown."""
    if not left:
        return now
    if recent < LEAST_RATINGS or during < LEAST_TIME:
        return None
    wait = during * (left / recent)
    return now + wait if wait <= FARTHEST else None

"""When a study will have the ratings it wants, at the pace of the last days."""

from __future__ import annotations

from datetime import datetime, timedelta

# Fewer ratings, or a shorter time, say nothing about the pace.
LEAST_RATINGS = 20
LEAST_TIME = timedelta(hours=6)
# A date further away says only that the pace is too slow.
FARTHEST = timedelta(days=365)


def ready_at(*, left: int, recent: int, during: timedelta, now: datetime) -> datetime | None:
    """Return when the last of `left` ratings comes in, given the `recent` ones; None where it is too early to say."""
    if not left:
        return now
    if recent < LEAST_RATINGS or during < LEAST_TIME:
        return None
    wait = during * (left / recent)
    return now + wait if wait <= FARTHEST else None

"""The only place that reads the wall clock; services take `now` as an argument.

Hosts that share a PostgreSQL share its clock: each process adds the difference to its own. With SQLite there is one
host and one clock.
"""

from __future__ import annotations

import logging
import threading
import time
from datetime import datetime, timedelta
from typing import Any

from django.db import connections
from django.utils import timezone

logger = logging.getLogger(__name__)
# Seconds between two comparisons, and measurements per comparison; the quickest one counts.
EVERY, SAMPLES = 30.0, 3
# Clocks that are kept well differ by this much; correcting it would only make times jump.
LITTLE = timedelta(seconds=0.1)

_offset = timedelta(0)
# True if the next call of `now` compares first.
_is_due = False


def now() -> datetime:
    """Return the current time in UTC."""
    if _is_due:
        compare()
    return timezone.now() + _offset


def offset() -> timedelta:
    """Return the correction that this process adds to its host's clock."""
    return _offset


def measure() -> timedelta:
    """Return how far the database's clock is ahead of this host's; negative if it is behind.

    Uses a short connection of its own; raises the driver's error if the database can't be reached.
    """
    default: Any = connections["default"]
    if default.vendor != "postgresql":
        return timedelta(0)
    samples: list[tuple[timedelta, timedelta]] = []
    parameters = {**default.get_connection_params(), "connect_timeout": 3, "autocommit": True}
    with default.Database.connect(**parameters) as connection:
        for _ in range(SAMPLES):
            before = timezone.now()
            [there] = connection.execute("SELECT clock_timestamp()").fetchone()
            after = timezone.now()
            samples.append((after - before, there - (before + (after - before) / 2)))
    return min(samples)[1]


def compare() -> None:
    """Update the offset; keep the last one when the database can't be reached."""
    global _offset, _is_due
    _is_due = False
    try:
        difference = measure()
    except Exception as error:
        logger.warning("The database's clock could not be read: %s: %s", type(error).__name__, error)
        return
    if abs(difference - _offset) < LITTLE:
        return
    if abs(difference) >= LITTLE:
        ahead = -difference.total_seconds()
        logger.warning("This host's clock is %+.1f s from the database's, whose time is used.", ahead)
    _offset = difference if abs(difference) >= LITTLE else timedelta(0)


def compare_when_asked() -> None:
    """Compare at the first call of `now`: for management commands, which often never need the time."""
    global _is_due
    _is_due = True


def follow() -> None:
    """Compare now and then regularly in the background; each long-running process calls it once."""
    if connections["default"].vendor != "postgresql":
        return
    compare()
    threading.Thread(target=_follow, name="clock", daemon=True).start()


def _follow() -> None:
    while True:
        time.sleep(EVERY)
        compare()

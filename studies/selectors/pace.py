"""How far a study's experts are with a kind of work, and how quick one of them is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median
from typing import Any

from django.db.models import QuerySet

# A longer time between two decisions was a break.
BREAK = timedelta(minutes=5)
RECENT = 50


@dataclass(frozen=True, slots=True)
class Pace:
    """How far the study and one expert are; `seconds` is the median between two decisions, None without any.

    Where `is_more`, more are left than were counted.
    """

    total: int
    done: int
    waiting: int
    is_more: bool
    mine: int
    today: int
    seconds: float | None


def pace(mine: QuerySet[Any], *, done: int, left: int, waiting: int, now: datetime, most: int | None = None) -> Pace:
    """Return the pace of somebody whose decisions that stand are `mine`; three SELECTs.

    A count above `most` stands for any larger number.
    """
    most = left if most is None else most
    recent = list(mine.order_by("-at").values_list("at", flat=True)[:RECENT])
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    return Pace(
        total=done + min(left, most),
        done=done,
        waiting=waiting,
        is_more=left > most,
        mine=mine.count(),
        today=mine.filter(at__gte=midnight).count(),
        seconds=seconds_each(reversed(recent)),
    )


def seconds_each(moments: Iterable[datetime]) -> float | None:
    """Return the median seconds from one of these moments to the next, breaks left out; None without two."""
    gaps = [later - earlier for earlier, later in pairwise(moments)]
    seconds = [gap.total_seconds() for gap in gaps if gap < BREAK]
    return median(seconds) if seconds else None


def last_of(mine: QuerySet[Any]) -> str:
    """Return the key of the newest of these decisions; empty when there is none."""
    return mine.order_by("-at", "-pk").values_list("key", flat=True).first() or ""

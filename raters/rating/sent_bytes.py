"""Record the bytes of clips sent to browsers, and find the missing ones."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import DateTimeField, JSONField, Value

from core.database.prepared import Parameter, Update
from raters.rating import screen_rendition
from raters.rating.models import TrialClip

MARK_FETCHED = Update(
    lambda: TrialClip.objects.filter(pk=Parameter("clip"), fetched_at=None),
    durable=False,
    fetched_at=Parameter("now", DateTimeField()),
    sent=Value([], JSONField()),
)


def note_sent_bytes(*, trial_clip: int, start: int, stop: int, size: int, now: datetime) -> None:
    """Record that these bytes were sent; the clip counts as fetched once they cover the file."""
    if start == 0 and stop >= size:
        MARK_FETCHED(clip=trial_clip, now=now)
        return
    with transaction.atomic():
        row = TrialClip.objects.select_for_update().filter(pk=trial_clip).first()
        # The rater may have been erased while the bytes were sent.
        if row is not None and row.fetched_at is None:
            row.sent = merge(row.sent, start, stop)
            if row.sent == [[0, size]]:
                row.sent, row.fetched_at = [], now
            row.save(update_fields=["sent", "fetched_at"])


def missing_bytes(trial: int) -> dict[str, list[list[int]]]:
    """Return {key: half-open byte ranges not sent} of a trial's clips.

    Responses still under way, or not recorded because a server was killed, count as missing.
    """
    clips = TrialClip.objects.filter(trial=trial).order_by("place")
    columns = ("key", "clip__rendition_bytes", "sent", "fetched_at", "trial__session__version_id")
    rows = list(clips.values_list(*columns))
    size = screen_rendition.sent_size(rows[0][1], [row[1] for row in rows], rows[0][4])
    return {key: gaps(sent, size) for key, _stored, sent, fetched_at, _version in rows if fetched_at is None}


def merge(ranges: list[list[int]], start: int, stop: int) -> list[list[int]]:
    """Return half-open byte ranges with [start, stop) added, sorted and joined where they touch."""
    merged: list[list[int]] = []
    for low, high in sorted([*ranges, [start, stop]]):
        if merged and low <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], high)
        else:
            merged.append([low, high])
    return merged


def gaps(ranges: list[list[int]], size: int) -> list[list[int]]:
    """Return the half-open ranges of [0, size) that sorted, separate ranges leave out."""
    edges = [0, *(edge for each in ranges for edge in each), size]
    return [[low, high] for low, high in zip(edges[::2], edges[1::2], strict=True) if low < high]

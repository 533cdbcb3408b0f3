"""The figures' parts as they are stored: which of them may have changed, and reading only those again."""

from __future__ import annotations

import logging
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import QuerySet

from analysis.data.models import Simulated
from analysis.live import parts
from analysis.live.models import Snapshot, SnapshotPart
from analysis.live.parts import Part
from core import garbage
from raters.live import marks as live_marks
from raters.live.rows import Reader
from studies.definition.definition import Definition

logger = logging.getLogger(__name__)


class Refreshed(NamedTuple):
    """What a refresh read that is not stored so, what it dropped, and all parts added up without their rows.

    `marks` are the new ones, `changed` is about how many ratings came or went.
    """

    read: dict[int, Part]
    gone: list[int]
    whole: Part
    marks: dict[str, Any]
    changed: int


@garbage.new_alone()
def refresh(snapshot: Snapshot, definition: Definition, now: datetime, *, is_full: bool) -> Refreshed:
    """Read the parts that may have changed since the last refresh; or all, and log those that differ otherwise."""
    study, which = snapshot.study_id, Simulated(snapshot.simulated).flag
    known = {number: Part.stored(small) for number, small in _stored(snapshot).values_list("number", "small")}
    # Before the parts are read: what changes meanwhile differs from these marks, and is read next time.
    marks, touched = live_marks.marks_of(study, which, snapshot.marks, now)
    numbers = {parts.number_of(session) for session in touched}.union(snapshot.marks.get("again", ()))
    is_whole = is_full or not snapshot.marks
    wanted = {*known, *parts.numbers(study, which)} if is_whole else numbers
    read, reader = {}, Reader(study, which, is_whole=is_whole)
    for number in sorted(wanted):
        part = parts.read(reader, number, definition)
        if is_full and number not in numbers and _is_stored(snapshot, number, part):
            continue
        if is_full and snapshot.marks and number not in numbers and part.counts["arrived"]:
            logger.error("The figures of study %s had drifted in part %s, and are right again.", study, number)
        read[number] = part
    gone = [number for number, part in read.items() if not part.counts["arrived"]]
    changed = sum(_differences(known.get(number, Part()), part) for number, part in read.items())
    fresh = {number: part for number, part in read.items() if number not in gone}
    every = {**known, **fresh}
    whole = parts.merged(
        Part(part.counts, part.minutes) for number, part in sorted(every.items()) if number not in gone
    )
    return Refreshed(fresh, gone, whole, marks, changed)


def store(snapshot: Snapshot, refreshed: Refreshed) -> None:
    """Store the parts that were read; inside the caller's transaction."""
    _stored(snapshot).filter(number__in=refreshed.gone).delete()
    SnapshotPart.objects.bulk_create(
        [
            SnapshotPart(snapshot=snapshot, number=number, small=part.small, rows=part.packed)
            for number, part in refreshed.read.items()
        ],
        batch_size=20,
        update_conflicts=True,
        unique_fields=["snapshot", "number"],
        update_fields=["small", "rows"],
    )


def with_rows(snapshot: Snapshot, refreshed: Refreshed) -> Part:
    """Return all parts as one, with their rows: those just read, and the others as they are stored."""
    every = dict(refreshed.read)
    for number, small, rows in _stored(snapshot).values_list("number", "small", "rows").iterator(20):
        if number not in every and number not in refreshed.gone:
            every[number] = Part.stored(small, bytes(rows))
    return parts.merged(every[number] for number in sorted(every))


def forget(study_id: int) -> None:
    """Drop the parts that hold answers which are being erased; the next refresh reads them again."""
    numbers = sorted({parts.number_of(session) for session in live_marks.being_erased(study_id)})
    for snapshot in Snapshot.objects.select_for_update(no_key=True).filter(study=study_id).exclude(marks={}):
        again = sorted({*snapshot.marks.get("again", ()), *numbers})
        Snapshot.objects.filter(pk=snapshot.pk).update(marks={**snapshot.marks, "again": again})
    SnapshotPart.objects.filter(snapshot__study=study_id, number__in=numbers).delete()


def _stored(snapshot: Snapshot) -> QuerySet[SnapshotPart]:
    return SnapshotPart.objects.filter(snapshot=snapshot)


def _differences(old: Part, new: Part) -> int:
    """Return about how many ratings came, went, or changed whether they count."""
    return max(abs(new.counts[name] - old.counts[name]) for name in ("answers", "usable", "valid", "invalid"))


def _is_stored(snapshot: Snapshot, number: int, part: Part) -> bool:
    """Say whether a part is stored exactly as it was just read."""
    stored = _stored(snapshot).filter(number=number).values_list("small", "rows").first()
    if stored is None:
        return False
    small, rows = Part.stored(stored[0]), bytes(stored[1])
    return (small.counts, small.minutes, small.lines, rows) == (part.counts, part.minutes, part.lines, part.packed)

"""The figures' parts as they are stored: which of them may have changed, and reading only those again."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Max, Q, QuerySet

from analysis.data.models import Simulated
from analysis.live import parts
from analysis.live.models import Snapshot, SnapshotPart
from analysis.live.parts import Part
from core.database.references import parts as chunks
from core.jobs import DONE, RUNNING
from raters.people.models import DELETION, Erasure, Session
from raters.rating import monitor
from raters.rating.models import CLOSED, EXPIRED, Batch, Rating, Trial, Verdict
from studies.definition.definition import Definition

logger = logging.getLogger(__name__)
# Ended sessions whose batches are all in these states change only by verdicts and erasures.
SETTLED = {DONE, CLOSED, EXPIRED}


class Refreshed(NamedTuple):
    """What a refresh read and dropped, all parts added up without their rows, new marks, ratings that came or went."""

    read: dict[int, Part]
    gone: list[int]
    whole: Part
    marks: dict[str, Any]
    changed: int


def refresh(snapshot: Snapshot, definition: Definition, now: datetime, *, is_full: bool) -> Refreshed:
    """Read the parts that may have changed since the last refresh; or all, and log those that differ otherwise."""
    study, which = snapshot.study_id, Simulated(snapshot.simulated).flag
    known = {number: Part.stored(small) for number, small in _stored(snapshot).values_list("number", "small")}
    # Before the parts are read: what changes meanwhile differs from these marks, and is read next time.
    marks, touched = _marks(study, which, snapshot.marks, now)
    numbers = {parts.number_of(session) for session in touched}.union(snapshot.marks.get("again", ()))
    wanted = {*known, *parts.numbers(study, which)} if is_full or not snapshot.marks else numbers
    read = {number: parts.read(study, which, number, definition) for number in sorted(wanted)}
    if snapshot.marks and is_full:
        _log_drift(snapshot, {number: part for number, part in read.items() if number not in numbers})
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
    asked = Erasure.objects.filter(state=RUNNING, erased_at=None)
    whose = Q(session__in=asked.values("session")) | Q(session__rater__in=asked.filter(session=None).values("rater"))
    excluded = Verdict.objects.filter(whose, session__study=study_id, rule=DELETION, revoked_at=None)
    numbers = sorted({parts.number_of(session or 0) for session in excluded.values_list("session", flat=True)})
    for snapshot in Snapshot.objects.select_for_update(no_key=True).filter(study=study_id).exclude(marks={}):
        again = sorted({*snapshot.marks.get("again", ()), *numbers})
        Snapshot.objects.filter(pk=snapshot.pk).update(marks={**snapshot.marks, "again": again})
    SnapshotPart.objects.filter(snapshot__study=study_id, number__in=numbers).delete()


def _stored(snapshot: Snapshot) -> QuerySet[SnapshotPart]:
    return SnapshotPart.objects.filter(snapshot=snapshot)


def _differences(old: Part, new: Part) -> int:
    """Return about how many ratings came, went, or changed whether they count."""
    return max(abs(new.counts[name] - old.counts[name]) for name in ("answers", "usable", "valid", "invalid"))


def _log_drift(snapshot: Snapshot, read: Mapping[int, Part]) -> None:
    stored = _stored(snapshot).values_list("number", "small", "rows").iterator(20)
    known = {number: (small, bytes(rows)) for number, small, rows in stored}
    nothing = Part().small
    for number, part in read.items():
        small, rows = known.get(number, (nothing, b""))
        if (Part.stored(small).small, rows) != (Part.stored(part.small).small, part.packed) and part.counts["arrived"]:
            logger.error(
                "The figures of study %s had drifted in part %s, and are right again.", snapshot.study_id, number
            )


def _marks(study: int, which: bool | None, old: Mapping[str, Any], now: datetime) -> tuple[dict[str, Any], set[int]]:
    """Return marks of the present, and the sessions that may have changed since the old ones.

    A row is looked at in two refreshes, since a transaction that began earlier may commit a lower key later.
    """
    people = monitor.sessions_of(study, which)
    newest: dict[str, Any] = {
        "session": _newest(Session.objects.filter(study=study)),
        "rating": _newest(Rating.objects.filter(study=study)),
        "verdict": _newest(Verdict.objects.all()),
        "moment": now.isoformat(),
    }
    if not old:
        standing = _standing(people)
        return {"newest": newest, "since": newest, "open": _open(standing)}, set()
    since = old["since"]
    touched = {*people.filter(pk__gt=since["session"]).values_list("pk", flat=True)}
    rated = Rating.objects.filter(study=study, pk__gt=since["rating"]).order_by()
    touched |= {*rated.values_list("trial__session", flat=True).distinct()}
    touched |= _under_verdicts(study, since)
    before: dict[str, str] = old["open"]
    standing = {}
    for some in chunks({*touched, *map(int, before)}):
        standing |= _standing(people.filter(pk__in=some))
    touched |= {int(pk) for pk, state in before.items() if standing.get(int(pk)) != state}
    return {"newest": newest, "since": old["newest"], "open": _open(standing)}, touched


def _newest(rows: QuerySet[Any]) -> int:
    newest: int | None = rows.aggregate(newest=Max("pk"))["newest"]
    return newest or 0


def _standing(people: QuerySet[Session]) -> dict[int, str]:
    """Return what may still change of sessions, and of their batches, as words to compare."""
    columns = ("step", "outcome", "consented_at", "started_at", "ended_at")
    words = {pk: [str(each) for each in rest] for pk, *rest in people.order_by("pk").values_list("pk", *columns)}
    batches = Batch.objects.filter(session__in=people).order_by("session_id", "number")
    for session, *rest in batches.values_list("session_id", "pk", "state", "valid"):
        if session in words:
            words[session].append(" ".join(map(str, rest)))
    return {pk: "|".join(some) for pk, some in words.items()}


def _open(standing: Mapping[int, str]) -> dict[str, str]:
    """Return those of the sessions that may still change without a verdict."""
    return {str(pk): state for pk, state in standing.items() if not _is_settled(state)}


def _is_settled(state: str) -> bool:
    step, _outcome, _consented, _started, _ended, *batches = state.split("|")
    return step == Session.Step.ENDED and all(batch.split()[1] in SETTLED for batch in batches)


def _under_verdicts(study: int, since: Mapping[str, Any]) -> set[int]:
    """Return the sessions of a study on which a verdict was made or revoked."""
    rows = Verdict.objects.filter(
        Q(pk__gt=since["verdict"]) | Q(revoked_at__gte=datetime.fromisoformat(since["moment"]))
    )
    keys: defaultdict[str, list[int]] = defaultdict(list)
    subjects = ("answer", "batch", "session", "rater", "clip")
    for row in rows.values_list(*subjects):
        for subject, key in zip(subjects, row, strict=True):
            if key is not None:
                keys[subject].append(key)
    return {
        session
        for subject, some in keys.items()
        for chunk in chunks(some)
        for session in _sessions(study, subject, chunk)
    }


def _sessions(study: int, subject: str, keys: Collection[int]) -> Iterable[int]:
    """Return the sessions that verdicts on these things reach."""
    if subject in ("session", "rater"):
        people = Session.objects.filter(study=study, **{"pk__in" if subject == "session" else "rater__in": keys})
        return people.values_list("pk", flat=True)
    if subject == "batch":
        return Batch.objects.filter(pk__in=keys, session__study=study).values_list("session", flat=True)
    trials = Trial.objects.filter(session__study=study)
    # By the item: trials have an index on it.
    trials = trials.filter(pk__in=keys) if subject == "answer" else trials.filter(item__clips__clip__in=keys)
    return trials.order_by().values_list("session", flat=True).distinct()

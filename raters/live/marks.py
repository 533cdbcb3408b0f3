"""Which sessions of a study may have changed since they were read last."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any

from django.db.models import Max, Q, QuerySet

from core.database.references import parts as chunks
from core.jobs import DONE, RUNNING
from raters.people.models import DELETION, Erasure, Session
from raters.rating import monitor
from raters.rating.models import CLOSED, EXPIRED, Batch, Rating, Trial, Verdict

# Ended sessions whose batches are all in these states change only by verdicts and erasures.
SETTLED = {DONE, CLOSED, EXPIRED}


def marks_of(study: int, which: bool | None, old: Mapping[str, Any], now: datetime) -> tuple[dict[str, Any], set[int]]:
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


def being_erased(study_id: int) -> set[int]:
    """Return the sessions of a study whose answers are being deleted in this transaction."""
    asked = Erasure.objects.filter(state=RUNNING, erased_at=None)
    whose = Q(session__in=asked.values("session")) | Q(session__rater__in=asked.filter(session=None).values("rater"))
    excluded = Verdict.objects.filter(whose, session__study=study_id, rule=DELETION, revoked_at=None)
    return {session for session in excluded.values_list("session", flat=True) if session is not None}

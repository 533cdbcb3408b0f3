"""Progress of a study: session and batch counts, pace, and tables for exports."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime, timedelta
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

from django.db import connection
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from core import clock
from core.database.paging import PAGE, keys, paged
from core.findings import OK, WARNING, Finding
from core.jobs import DONE, FAILED, QUEUED, RUNNING
from raters.people.models import Session
from raters.rating.models import CLOSED, EXPIRED, OPEN, Batch, Rating, Trial

# With more simultaneous raters, SQLite's single writer makes them wait.
SQLITE_AT_ONCE = 100


def usable_since(study_id: int, since: datetime) -> int:
    """Count the usable test answers of real raters since then; one SELECT."""
    rows = Trial.objects.filter(batch__session__study_id=study_id, batch__session__simulated=False)
    return rows.filter(pool__isnull=False, usable=True, answered_at__gte=since).count()


def last_answer(study_id: int) -> datetime | None:
    """Return the moment of the newest stored answer, also of simulated raters; one SELECT."""
    rows = Rating.objects.filter(study=study_id).order_by("-id")
    return rows.values_list("trial__answered_at", flat=True).first()


CHUNK = 2000
SESSIONS = 500
# Outcomes of the initial checks and the practice.
CHECKED_OUT = (Session.Outcome.BAD_DEVICE, Session.Outcome.SCREENED_OUT, Session.Outcome.FAILED_COMPREHENSION)
# A rater who was shown or answered a clip this recently is active.
ACTIVE = timedelta(minutes=5)
# Keys of the study versions to include; None: all.
Versions = Collection[int] | None


def sessions_of(study_id: int, simulated: bool | None, versions: Versions = None) -> QuerySet[Session]:
    """Return the sessions of real raters (False), simulated ones (True), or both (None)."""
    rows = Session.objects.filter(study_id=study_id)
    rows = rows if versions is None else rows.filter(version__in=versions)
    return rows if simulated is None else rows.filter(simulated=simulated)


def not_counted(study_id: int) -> dict[str, int]:
    """Count the sessions of simulated raters and the test runs, as fields of a study's figures; one SELECT."""
    is_run = Q(preview=True)
    return sessions_of(study_id, True).aggregate(
        simulated_sessions=Count("pk", filter=~is_run), test_runs=Count("pk", filter=is_run)
    )


def batches_of(study_id: int, simulated: bool | None, versions: Versions = None) -> QuerySet[Batch]:
    """Return the batches of real raters (False), simulated ones (True), or both (None)."""
    rows = Batch.objects.filter(session__study_id=study_id)
    rows = rows if versions is None else rows.filter(session__version__in=versions)
    return rows if simulated is None else rows.filter(session__simulated=simulated)


def flow(study_id: int, simulated: bool | None, versions: Versions = None) -> dict[str, int]:
    """Count the sessions by progress and outcome; one SELECT."""
    return flow_of(sessions_of(study_id, simulated, versions))


def flow_of(sessions: QuerySet[Session]) -> dict[str, int]:
    """Count these sessions by progress and outcome; one SELECT."""
    complete, declined, withdrawn = Session.Outcome.COMPLETE, Session.Outcome.DECLINED, Session.Outcome.WITHDRAWN
    return sessions.aggregate(
        arrived=Count("pk"),
        consented=Count("pk", filter=Q(consented_at__isnull=False)),
        started=Count("pk", filter=Q(started_at__isnull=False)),
        rating=Count("pk", filter=Q(step=Session.Step.RATING)),
        complete=Count("pk", filter=Q(outcome=complete)),
        declined=Count("pk", filter=Q(outcome=declined)),
        screened_out=Count("pk", filter=Q(outcome__in=CHECKED_OUT)),
        # Other screening comes before the start, so sessions that had started left because of a slow connection.
        slow_line=Count("pk", filter=Q(outcome=Session.Outcome.SCREENED_OUT, started_at__isnull=False)),
        withdrawn=Count("pk", filter=Q(outcome=withdrawn)),
        no_place=Count("pk", filter=Q(outcome=Session.Outcome.NO_PLACE)),
    )


def active(study_id: int, simulated: bool | None, now: datetime) -> int:
    """Count the active raters: shown or answered a clip in the last five minutes."""
    recent = Q(served_at__gte=now - ACTIVE) | Q(answered_at__gte=now - ACTIVE)
    working = Trial.objects.filter(recent, batch__session=OuterRef("pk"), batch__state=OPEN)
    return sessions_of(study_id, simulated).filter(Exists(working), step=Session.Step.RATING).count()


def at_work(now: datetime) -> int:
    """Count the active real raters of all studies."""
    recent = Q(served_at__gte=now - ACTIVE) | Q(answered_at__gte=now - ACTIVE)
    working = Trial.objects.filter(recent, batch__state=OPEN, batch__session__simulated=False)
    return working.values("batch__session").distinct().count()


def minutes(study_id: int, simulated: bool | None, versions: Versions = None) -> list[float]:
    """Return the duration of each complete session, in minutes."""
    return minutes_of(sessions_of(study_id, simulated, versions))


def minutes_of(sessions: QuerySet[Session]) -> list[float]:
    """Return the duration of each complete one of these sessions, in minutes."""
    done = sessions.filter(outcome=Session.Outcome.COMPLETE, ended_at__isnull=False)
    times = done.values_list("arrived_at", "ended_at")
    return [(end - start).total_seconds() / 60 for start, end in times if end is not None]


def batches(study_id: int, simulated: bool | None, versions: Versions = None) -> dict[str, int]:
    """Count the batches by state: valid, invalid, waiting for the worker, open, expired, closed; one SELECT."""
    return states_of(batches_of(study_id, simulated, versions))


def states_of(rows: QuerySet[Batch]) -> dict[str, int]:
    """Count these batches by state; one SELECT."""
    # The prefix keeps aggregates from hiding the fields in later conditions.
    counts = rows.aggregate(
        n_valid=Count("pk", filter=Q(state=DONE, valid=True)),
        n_invalid=Count("pk", filter=Q(state=DONE, valid=False)),
        n_waiting=Count("pk", filter=Q(state__in=[QUEUED, RUNNING, FAILED])),
        n_open=Count("pk", filter=Q(state=OPEN)),
        n_expired=Count("pk", filter=Q(state=EXPIRED)),
        n_closed=Count("pk", filter=Q(state=CLOSED)),
    )
    return {name.removeprefix("n_"): number for name, number in counts.items()}


def usable_by_pool(study_id: int, simulated: bool | None) -> dict[int, int]:
    """Return {place: number of usable answers}; one SELECT."""
    trials = Trial.objects.filter(batch__session__study_id=study_id, pool__isnull=False, usable=True)
    if simulated is not None:
        trials = trials.filter(batch__session__simulated=simulated)
    return dict(trials.order_by().values_list("pool_id").annotate(answers=Count("pk")).iterator(CHUNK))


def first_answers(study_id: int, simulated: bool | None, each: int, versions: Versions = None) -> list[int]:
    """Return the trials with the first `each` usable answers of every place, in the order of answering."""
    trials = Trial.objects.filter(batch__session__study_id=study_id, pool__isnull=False, usable=True)
    if simulated is not None:
        trials = trials.filter(batch__session__simulated=simulated)
    if versions is not None:
        trials = trials.filter(batch__session__version__in=versions)
    listed = trials.order_by("pool_id", "answered_at", "pk").values_list("pool_id", "pk").iterator(CHUNK)
    return [trial for _, place in groupby(listed, key=itemgetter(0)) for _, trial in islice(place, each)]


def sessions_table(study_id: int, simulated: bool | None, **page: Any) -> Iterator[dict[str, Any]]:
    """Yield one row per session in order of arrival, without platform ids; `page` as in `paged`."""
    rows = sessions_of(study_id, simulated).values(
        "pk",
        "simulated",
        "preview",
        "source",
        "proof",
        "step",
        "outcome",
        "payable",
        "arrived_at",
        "consented_at",
        "consent_sha256",
        "language",
        "started_at",
        "ended_at",
        session_pk=F("pk"),
        rater_pk=F("rater_id"),
        version_pk=F("version_id"),
    )
    # Through the batches: trials have an index on the batch, but none on the session.
    return _counted(paged(rows, "pk", **page), "session_pk", "batch__session", page.get("size") or PAGE)


def batches_table(study_id: int, simulated: bool | None) -> Iterator[dict[str, Any]]:
    """Yield one row per batch, by session and number."""
    # In chunks of sessions, because sorting all batches for each page would be slow.
    for sessions in keys(sessions_of(study_id, simulated), SESSIONS):
        rows = Batch.objects.filter(session__in=sessions).order_by("session_id", "number")
        columns: Any = rows.values(
            "number",
            "size",
            "state",
            "valid",
            "trap_counts",
            "opened_at",
            "ended_at",
            "expired_at",
            batch_pk=F("pk"),
            session_pk=F("session_id"),
            rater_pk=F("session__rater_id"),
            version_pk=F("session__version_id"),
            is_simulated=F("session__simulated"),
        )
        yield from _counted(iter(list(columns)), "batch_pk", "batch", PAGE)


def _counted(rows: Iterator[dict[str, Any]], key: str, of: str, size: int) -> Iterator[dict[str, Any]]:
    """Yield the rows with their numbers of answers and usable answers, counted for `size` rows at once."""
    while some := list(islice(rows, size)):
        trials = Trial.objects.filter(**{f"{of}__in": [row[key] for row in some]}).order_by().values_list(of)
        counted = trials.annotate(answers=Count("answered_at"), usable=Count("pk", filter=Q(usable=True)))
        counts = {pk: (answers, usable) for pk, answers, usable in counted}
        for row in some:
            answers, usable = counts.get(row[key], (0, 0))
            yield {**row, "answers": answers, "answers_usable": usable}


def examine() -> Iterator[Finding]:
    """Report the number of active raters, and warn if SQLite is too slow for them."""
    raters = at_work(clock.now())
    if connection.vendor == "sqlite" and raters > SQLITE_AT_ONCE:
        remedy = "Move to PostgreSQL (docs/deployment.md)."
        yield Finding("raters", WARNING, f"{raters} are at work, and wait for one another at SQLite.", remedy)
    else:
        yield Finding("raters", OK, f"{raters} at work in the last five minutes")

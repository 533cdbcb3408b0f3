"""Compare our sessions with the platform's submissions; also the table for researchers who pay by hand."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Case, Count, F, Q, QuerySet, When

from core.database.paging import paged
from raters import sources
from raters.payments.models import PlatformStudy, Submission
from raters.payments.rules import OurSession, TheirSubmission, differences
from raters.people import queries as people_queries
from raters.people.models import Session, plain_study
from raters.rating import monitor
from studies.definition import facts

PAID = (Submission.State.APPROVED, Submission.State.PARTIALLY_APPROVED, Submission.State.SCREENED_OUT)


def unpaid(sessions: Collection[Session]) -> int:
    """Count the ended sessions that are payable or undecided and not known to be paid; one SELECT."""
    ended = Session.objects.filter(pk__in=[session.pk for session in sessions], simulated=False).exclude(outcome="")
    return ended.exclude(payable=False).exclude(submissions__state__in=PAID).count()


def table(study_id: int) -> Iterator[dict[str, Any]]:
    """Yield one row per real session, in order of arrival; `person` is None once the identity was deleted."""
    rows = monitor.sessions_of(study_id, False).values(
        "pk",
        "source",
        "ext_study",
        "ext_session",
        "step",
        "outcome",
        "payable",
        "arrived_at",
        "ended_at",
        session_pk=F("pk"),
        sealed=people_queries.sealed(),
    )
    for row in paged(rows, "pk"):
        sealed = row.pop("sealed")
        yield {**row, "ext_study": plain_study(row["ext_study"]), "person": people_queries.opened(sealed)}


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """A session, a submission, or both; without the person's identity."""

    session: int | None
    outcome: str
    payable: bool | None
    expected_code: str
    took: timedelta | None
    ext_session: str
    submission: Submission | None
    differs: tuple[str, ...]

    @property
    def state(self) -> str:
        return self.submission.state if self.submission else ""

    @property
    def there(self) -> timedelta | None:
        return None if self.submission is None else took(self.submission)

    @property
    def outcome_label(self) -> str:
        return str(Session.Outcome(self.outcome).label)


def platforms(study_id: int) -> list[PlatformStudy]:
    """Return the platform studies linked to this study."""
    names = list(sources.payment_platforms())
    return list(PlatformStudy.objects.filter(study=study_id, source__in=names).order_by("pk"))


def missing_sources(study_id: int) -> list[str]:
    """Return the sources of linked platform studies that are no longer installed here."""
    names = list(sources.payment_platforms())
    linked = PlatformStudy.objects.filter(study=study_id).exclude(source__in=names)
    return sorted(set(linked.values_list("source", flat=True)))


def minutes_told(session: Session) -> int | None:
    """Return the minutes that the platform announces to the session's participants; None if unknown."""
    linked = PlatformStudy.objects.filter(study=session.study_id, source=session.source, ext_study=session.ext_study)
    return linked.values_list("minutes", flat=True).first()


def unlinked(study_id: int) -> dict[str, list[tuple[str, int]]]:
    """Return {source: [(platform study, sessions)]} of platform studies that sent people but aren't linked.

    Links aren't signed, so these names are only claims.
    """
    linked = set(PlatformStudy.objects.filter(study=study_id).values_list("source", "ext_study"))
    arrivals = monitor.sessions_of(study_id, False).filter(source__in=list(sources.payment_platforms()))
    counts = arrivals.order_by().values_list("source", "ext_study").annotate(number=Count("pk"))
    names: dict[str, list[tuple[str, int]]] = {}
    for source, name, number in counts.order_by("-number", "ext_study"):
        if (source, name) not in linked:
            names.setdefault(source, []).append((name, number))
    return {source: some[:10] for source, some in names.items()}


def rows(
    study_id: int,
    linked: Sequence[PlatformStudy],
    only: Collection[int] | None = None,
    strays: Collection[int] = (),
) -> list[ComparedRow]:
    """Return all rows, those without a session last; two SELECTs, and a few hundred bytes per row in memory.

    With `only`, return the rows of these sessions, and of the `strays` (submissions without a session).
    """
    platforms = {each.pk: each.payment_platform for each in linked}
    every, arrivals = _submissions(platforms), _arrivals(study_id)
    if only is not None:
        every = every.filter(Q(session__in=only, is_here=True) | Q(pk__in=strays, is_here=False))
        arrivals = arrivals.filter(pk__in=only)
    submissions = list(every.order_by("pk"))
    by_session = {each.session_id: each for each in submissions if each.is_here}
    theirs = {each.pk: _theirs(each, platforms[each.platform_id].no_codes) for each in submissions}
    read_at = {(each.source, each.ext_study): each.read_at for each in linked}
    fields = ("pk", "version_id", "source", "ext_study", "ext_session", "outcome", "payable", "arrived_at", "ended_at")
    of_sessions = []
    for each in arrivals.order_by("pk").values(*fields):
        submission = by_session.get(each["pk"])
        last_read = read_at.get((each["source"], each["ext_study"]))
        of_sessions.append(_row(each, submission, theirs[submission.pk] if submission else None, last_read))
    return of_sessions + [
        ComparedRow(None, "", None, "", None, each.ext_session, each, tuple(differences(None, theirs[each.pk])))
        for each in submissions
        if not each.is_here
    ]


def keys(study_id: int, linked: Sequence[PlatformStudy]) -> tuple[QuerySet[Any, int], QuerySet[Any, int]]:
    """Return the keys of `rows` in the same order: sessions, then submissions without one."""
    strays = _submissions([each.pk for each in linked]).filter(is_here=False)
    return (
        _arrivals(study_id).order_by("pk").values_list("pk", flat=True),
        strays.order_by("pk").values_list("pk", flat=True),
    )


def _arrivals(study_id: int) -> QuerySet[Session]:
    return monitor.sessions_of(study_id, False).filter(source__in=list(sources.payment_platforms()))


def _submissions(platforms: Collection[int]) -> QuerySet[Any]:
    """Return submissions; `is_here` is false if their session continued under another submission."""
    every = Submission.objects.filter(platform__in=platforms).annotate(place=F("session__ext_session"))
    return every.annotate(is_here=Case(When(Q(place=F("ext_session")), then=True), default=False))


def _row(
    session: dict[str, Any], submission: Submission | None, theirs: TheirSubmission | None, read_at: datetime | None
) -> ComparedRow:
    ended, outcome = session["ended_at"], session["outcome"]
    lasted = None if ended is None else ended - session["arrived_at"]
    expected = facts.frozen(session["version_id"]).definition.crowd.code(outcome) if outcome else ""
    ours = OurSession(outcome, session["payable"], expected, lasted)
    # Without a reading since their arrival, people can't be reported as missing at the platform.
    is_missed = theirs is not None or (read_at is not None and session["arrived_at"] < read_at)
    differs = tuple(differences(ours, theirs)) if is_missed else ()
    return ComparedRow(
        session["pk"], outcome, session["payable"], expected, lasted, session["ext_session"], submission, differs
    )


def _theirs(submission: Submission, no_codes: Collection[str]) -> TheirSubmission:
    code = "" if submission.code.upper() in no_codes else submission.code
    return TheirSubmission(submission.state, code, submission.same_person, took(submission))


def took(submission: Submission) -> timedelta | None:
    if submission.started_at is None or submission.completed_at is None:
        return None
    return submission.completed_at - submission.started_at

"""Session histories: how far each session came, how it ended, and its checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from django.db.models import BooleanField, Count, Exists, ExpressionWrapper, OuterRef, Q

from raters.payments.models import Submission
from raters.people.models import Session
from raters.rating.monitor import CHECKED_OUT, CHUNK, Versions, sessions_of
from raters.sessions.models import CheckResult, FairCheck

# The check between batches that may end a session.
FAIR = "attention"
ARRIVED, AGREED, BEGAN, CAME_TO_THE_END = range(4)
# Platform states shown as the end of a session.
RETURNED, TIMED_OUT = Submission.State.RETURNED, Submission.State.TIMED_OUT


class SessionHistory(NamedTuple):
    """How far a session came, and how it ended: an outcome, a platform state, or empty if still open.

    `check` is the one that screened the session out; empty if none did or the result was erased.
    """

    session: int
    stage: int
    end: str
    check: str


class CheckCounts(NamedTuple):
    """A check's results, before the first clip or `later`: decided, failed, and sessions that ended because of it."""

    name: str
    later: bool
    decided: int
    failed: int
    left: int


class AttentionCounts(NamedTuple):
    """Fair attention checks: number answered and failed, and number of sessions with each."""

    asked: int
    failed: int
    sessions: int
    sessions_failed: int


def session_histories(study_id: int, simulated: bool | None, versions: Versions = None) -> Iterator[SessionHistory]:
    """Yield the history of every session; two SELECTs."""
    failed_check = _left_by(study_id, simulated, versions)
    rows = sessions_of(study_id, simulated, versions).order_by("pk")
    rows_of_sessions = rows.values_list(
        "pk", "consented_at", "started_at", "outcome", _at_platform(RETURNED), _at_platform(TIMED_OUT)
    )
    for pk, agreed, began, outcome, returned, timed_out in rows_of_sessions.iterator(CHUNK):
        yield SessionHistory(
            pk, _stage(agreed, began, outcome), _end(outcome, returned, timed_out), failed_check.get(pk, "")
        )


def check_counts(study_id: int, simulated: bool | None, versions: Versions = None) -> list[CheckCounts]:
    """Count the results of each check, in the order of first use; three SELECTs."""
    rows = CheckResult.objects.filter(session__in=sessions_of(study_id, simulated, versions)).order_by("pk")
    later = ExpressionWrapper(Q(round__gt=0), output_field=BooleanField())
    counted: dict[tuple[str, bool], list[int]] = {}
    for name, is_later, passed in rows.annotate(later=later).values_list("name", "later", "passed").iterator(CHUNK):
        count = counted.setdefault((name, bool(is_later)), [0, 0])
        count[0] += passed is not None
        count[1] += passed is False
    sessions_lost = Counter((name, False) for name in _left_by(study_id, simulated, versions).values())
    lost = rows.filter(name=FAIR, passed=False, session__outcome=Session.Outcome.FAILED_ATTENTION).order_by()
    sessions_lost[FAIR, True] = lost.values("session").distinct().count()
    return [CheckCounts(*key, decided, failed, sessions_lost[key]) for key, (decided, failed) in counted.items()]


def attention_counts(study_id: int, simulated: bool | None, versions: Versions = None) -> AttentionCounts:
    """Count the results of fair attention checks; one SELECT."""
    rows = FairCheck.objects.filter(session__in=sessions_of(study_id, simulated, versions))
    counts = rows.aggregate(
        asked=Count("pk"),
        failed=Count("pk", filter=Q(passed=False)),
        sessions=Count("session", distinct=True),
        sessions_failed=Count("session", distinct=True, filter=Q(passed=False)),
    )
    return AttentionCounts(**counts)


def _left_by(study_id: int, simulated: bool | None, versions: Versions) -> dict[int, str]:
    """Return {session: the check that screened it out}, which is the last one it failed."""
    out = sessions_of(study_id, simulated, versions).filter(outcome__in=CHECKED_OUT)
    rows = CheckResult.objects.filter(session__in=out, passed=False, round=0).order_by("pk")
    return dict(rows.values_list("session_id", "name"))


def _at_platform(state: Submission.State) -> Exists:
    mine = Submission.objects.filter(session=OuterRef("pk"), ext_session=OuterRef("ext_session"), state=state)
    return Exists(mine)


def _stage(agreed: Any, began: Any, outcome: str) -> int:
    if outcome == Session.Outcome.COMPLETE:
        return CAME_TO_THE_END
    return BEGAN if began else AGREED if agreed else ARRIVED


def _end(outcome: str, returned: bool, timed_out: bool) -> str:
    if outcome == Session.Outcome.WITHDRAWN and returned:
        return RETURNED.value
    return TIMED_OUT.value if not outcome and timed_out else outcome

"""Results of the first checks: the sound of an open step, and what is marked on sessions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from django.db.models import F

from core.errors import NotFound
from raters.models import CheckResult, FairCheck, Session
from raters.protocols import rejecting


def open_step(*, session_id: int, key: str) -> tuple[CheckResult, dict[str, Any]]:
    """Return the step that a session is at and whose sound has this key; raises `NotFound` otherwise."""
    at_checks = (Session.Step.CHECKS, Session.Step.PRACTICE)
    found = CheckResult.objects.filter(session=session_id, passed=None, session__step__in=at_checks)
    for result in found.select_related("session"):
        number = max(0, len(result.answers[-1]) - int(result.telling))
        if result.drawn[number]["key"] == key:
            return result, result.drawn[number]
    raise NotFound("There is no such sound.")


def has_results(study_id: int) -> bool:
    """Say whether anybody has met a check in a study."""
    return CheckResult.objects.filter(session__study=study_id).exists()


def failed(study_id: int) -> dict[int, list[str]]:
    """Return {session: the checks that it did not pass}, each named once; one SELECT."""
    rows = CheckResult.objects.filter(session__study=study_id, passed=False).order_by("session_id", "pk")
    marks: defaultdict[int, list[str]] = defaultdict(list)
    for session, name in rows.values_list("session_id", "name"):
        if name not in marks[session]:
            marks[session].append(name)
    return dict(marks)


def table(study_id: int, simulated: bool | None) -> Iterator[dict[str, Any]]:
    """Yield one row a result, in the order of sessions and then as they were met; fair checks with their words."""
    words = _words(study_id)
    rows = CheckResult.objects.filter(session__study=study_id).order_by("session_id", "pk")
    if simulated is not None:
        rows = rows.filter(session__simulated=simulated)
    columns = ("name", "round", "rule_version", "tries", "right", "of", "passed", "began_at", "at")
    found: Any = rows.values(
        *columns,
        is_simulated=F("session__simulated"),
        session_pk=F("session_id"),
        rater_pk=F("session__rater_id"),
        version_pk=F("session__version_id"),
    )
    for row in found.iterator(2000):
        asked, answered = words.get((row["session_pk"], rejecting.block(row["round"])), ("", ""))
        yield {**row, "asked": asked, "answered": answered}


def _words(study_id: int) -> dict[tuple[int, str], tuple[str, str]]:
    """Return {session and block: what an attention check asked and what was answered}."""
    rows = FairCheck.objects.filter(session__study=study_id).values_list("session_id", "block", "asked", "answered")
    return {(session, block): (asked, answered) for session, block, asked, answered in rows}

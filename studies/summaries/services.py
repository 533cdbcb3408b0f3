"""Show a summary at once where that is quick, else as a worker computed it last; and have it computed again."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from django.utils import translation
from pydantic import TypeAdapter, ValidationError

from core import jobs
from core.nudge import nudge
from core.registry import Registry
from core.web import busy
from studies.summaries.models import Summary

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from studies.definition.models import Study

T = TypeVar("T")
# Rows that a page reads itself; for more, a worker computes.
QUICK = 2000
# A summary stays valid this long, or this many times the duration of its computation, unless clips change: workers have
# other work.
MAX_AGE, TIMES = timedelta(seconds=10), 20
LATE = timedelta(seconds=30)


@dataclass(frozen=True)
class SummaryKind(Generic[T]):
    """A summary: its name, its type (built of dataclasses), its computation, and the rows that it reads.

    `compute` gets the study and the choice. Without `rows`, only workers compute it, one study after the other, and it
    is the same in every language.
    """

    name: str
    type_: type[T]
    compute: Callable[[Study, str], T]
    rows: Callable[[Study], QuerySet[Any]] | None = None

    @cached_property
    def adapter(self) -> TypeAdapter[T]:
        return TypeAdapter(self.type_)


@dataclass(frozen=True, slots=True)
class ShownSummary(Generic[T]):
    """A summary for a page: None while the first one is being computed; `computed_at` is None if it was computed for
    this page."""

    value: T | None
    computed_at: datetime | None
    # True if clips changed since.
    is_outdated: bool = False
    # True if a newer one is requested; and if it was requested half a minute ago without a result.
    is_coming: bool = False
    is_late: bool = False
    has_failed: bool = False

    @property
    def is_now(self) -> bool:
        """True if it was computed for this page."""
        return self.value is not None and self.computed_at is None


kinds: Registry[SummaryKind[Any]] = Registry()


def summary(kind: SummaryKind[T], study: Study, *, now: datetime, choice: str = "") -> ShownSummary[T]:
    """Return a summary, and request a newer one if it is old; reads at most `QUICK` + 1 rows of the study."""
    if kind.rows is not None and are_few(kind.rows(study)):
        return ShownSummary(kind.compute(study, choice), None)
    return stored(kind, study, now=now, choice=choice)


def stored(
    kind: SummaryKind[T], study: Study, *, now: datetime, choice: str = "", at_once: bool = False
) -> ShownSummary[T]:
    """Return the newest stored summary; request a newer one if it is old, or `at_once`."""
    row = _newest(kind, study, now, choice, at_once=at_once)
    if row is None:
        return ShownSummary(None, None)
    is_late = not row.is_over and row.queued_at is not None and now - row.queued_at > LATE
    state = {"is_coming": not row.is_over, "is_late": is_late, "has_failed": row.state == jobs.FAILED}
    if row.value is not None:
        # One of an earlier release may have another form.
        with suppress(ValidationError):
            value = kind.adapter.validate_python(row.value)
            return ShownSummary(value, row.computed_at, row.is_outdated, **state)
    return ShownSummary(None, None, **state)


def stored_values(kind: SummaryKind[Any], studies: Collection[int], *, choice: str = "") -> dict[int, Any]:
    """Return {study: its newest stored value}; one SELECT, and nothing is requested."""
    rows = Summary.objects.filter(study__in=studies, name=kind.name, choice=choice).exclude(value=None)
    return dict(rows.values_list("study", "value"))


def _newest(kind: SummaryKind[Any], study: Study, now: datetime, choice: str, *, at_once: bool) -> Summary | None:
    language = "" if kind.rows is None else translation.get_language() or "en"
    key = {"study": study, "name": kind.name, "choice": choice, "language": language}
    row = Summary.objects.filter(**key).first()
    if row is not None and not is_due(row, now) and not (at_once and row.is_over):
        return row
    queued = busy.if_free(lambda: _queue(key, now))
    if queued is None:
        return row
    nudge(Summary.task_name, queued)
    return Summary.objects.get(pk=queued)


def are_few(rows: QuerySet[Any]) -> bool:
    """True if a page may read all of these rows itself; reads at most `QUICK` + 1 of them."""
    return rows.order_by()[: QUICK + 1].count() <= QUICK


def is_due(row: Summary, now: datetime) -> bool:
    """True if a summary is old enough to be computed again."""
    if not row.is_over:
        return False
    if row.ended_at is None:
        return True
    age, took = now - row.ended_at, row.ended_at - (row.computed_at or row.ended_at)
    return age >= (took if row.is_outdated else max(MAX_AGE, TIMES * took))


def _queue(key: dict[str, Any], now: datetime) -> int | None:
    row, is_new = Summary.objects.get_or_create(**key, defaults={"state": jobs.QUEUED, "queued_at": now})
    if is_new:
        return row.pk
    over = Summary.objects.filter(pk=row.pk, state__in=(jobs.DONE, jobs.FAILED))
    return row.pk if over.update(state=jobs.QUEUED, queued_at=now, tries=0, error="") else None


def refresh(*, pk: int, clock: Callable[[], datetime]) -> bool:
    """Compute a summary; False if another worker has it, or its kind no longer exists.

    Of those that only workers compute, the one waiting longest, if none is being computed.
    """
    asked = Summary.objects.filter(pk=pk).first()
    if asked is None:
        return False
    kind = next((each for each in kinds if each.name == asked.name), None)
    if kind is None or kind.rows is not None:
        return _compute(pk, kind, clock)
    turn = _next(kind, clock())
    if turn is None or not _compute(turn, kind, clock):
        return False
    following = _next(kind, clock())
    if following is not None:
        nudge(Summary.task_name, following)
    return True


def _next(kind: SummaryKind[Any], now: datetime) -> int | None:
    """Return the row to compute next; two workers that look at the same moment may begin two."""
    rows = Summary.objects.filter(name=kind.name)
    if rows.filter(state=jobs.RUNNING, lease_until__gte=now).exists():
        return None
    waiting = rows.filter(state__in=(jobs.QUEUED, jobs.RUNNING)).order_by("queued_at", "pk")
    return waiting.values_list("pk", flat=True).first()


def _compute(pk: int, kind: SummaryKind[Any] | None, clock: Callable[[], datetime]) -> bool:
    began = clock()
    row = jobs.claim(Summary, pk, began)
    if row is None:
        return False
    # Before anything is read: a later change outdates it again.
    Summary.objects.filter(pk=pk, is_outdated=True).update(is_outdated=False)
    if kind is None:
        return jobs.finish(row, clock(), error="This summary is not known.")
    with translation.override(row.language or "en"):
        value = kind.adapter.dump_python(kind.compute(row.study, row.choice), mode="json")
    return jobs.finish(row, clock(), value=value, computed_at=began)


def outdate(study: Study, _now: datetime | None = None, *, name: str = "") -> None:
    """Mark a study's summaries, or the one named, as outdated, so that the next look requests them.

    Runs in the transaction of the change.
    """
    rows = Summary.objects.filter(study=study, name=name) if name else Summary.objects.filter(study=study)
    # Marked ones too: whoever computes one waits for this change.
    rows.update(is_outdated=True)


def forget(study_id: int, rater_id: int, now: datetime) -> None:
    """Delete a study's summaries, which may quote raters."""
    Summary.objects.filter(study=study_id).delete()

"""Show a summary at once where that is quick, else as a worker computed it last; and have it computed again."""

from __future__ import annotations

from collections.abc import Callable
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
# Rows that a page still reads itself.
QUICK = 2000
# Unless clips changed, a summary stays so long, or so many times as long as computing it took: a worker has other
# things to do.
MAX_AGE, TIMES = timedelta(seconds=30), 20


@dataclass(frozen=True)
class SummaryKind(Generic[T]):
    """A summary: its name, its type (built of dataclasses), how it is computed, and the rows that it reads.

    `compute` gets the study and the choice.
    """

    name: str
    type_: type[T]
    compute: Callable[[Study, str], T]
    rows: Callable[[Study], QuerySet[Any]]

    @cached_property
    def adapter(self) -> TypeAdapter[T]:
        return TypeAdapter(self.type_)


@dataclass(frozen=True, slots=True)
class ShownSummary(Generic[T]):
    """A summary for a page: None while the first one is being computed; `computed_at` is None for one of just now."""

    value: T | None
    computed_at: datetime | None
    # Whether clips changed since.
    is_outdated: bool = False

    @property
    def is_now(self) -> bool:
        """Say whether it was computed for this page."""
        return self.value is not None and self.computed_at is None


kinds: Registry[SummaryKind[Any]] = Registry()


def summary(kind: SummaryKind[T], study: Study, *, now: datetime, choice: str = "") -> ShownSummary[T]:
    """Return a summary, and ask for a newer one where it is old; reads at most `QUICK` + 1 rows of the study."""
    if are_few(kind.rows(study)):
        return ShownSummary(kind.compute(study, choice), None)
    key = {"study": study, "name": kind.name, "choice": choice, "language": translation.get_language() or "en"}
    row = Summary.objects.filter(**key).first()
    if row is None or is_due(row, now):
        queued = busy.if_free(lambda: _queue(key, now))
        if queued is not None:
            nudge(Summary.task_name, queued)
    if row is None or row.value is None:
        return ShownSummary(None, None)
    try:
        return ShownSummary(kind.adapter.validate_python(row.value), row.computed_at, row.is_outdated)
    except ValidationError:
        # Of an earlier release.
        return ShownSummary(None, None)


def are_few(rows: QuerySet[Any]) -> bool:
    """Say whether a page may read all of these rows itself; reads at most `QUICK` + 1 of them."""
    return rows.order_by()[: QUICK + 1].count() <= QUICK


def is_due(row: Summary, now: datetime) -> bool:
    """Say whether a summary is old enough to be computed again."""
    if not row.is_over or row.ended_at is None or row.computed_at is None:
        return row.is_over
    if row.is_outdated:
        return now - row.ended_at >= row.ended_at - row.computed_at
    return now - row.ended_at >= max(MAX_AGE, TIMES * (row.ended_at - row.computed_at))


def _queue(key: dict[str, Any], now: datetime) -> int | None:
    row, is_new = Summary.objects.get_or_create(**key, defaults={"state": jobs.QUEUED, "queued_at": now})
    if is_new:
        return row.pk
    over = Summary.objects.filter(pk=row.pk, state__in=(jobs.DONE, jobs.FAILED))
    return row.pk if over.update(state=jobs.QUEUED, queued_at=now, tries=0, error="") else None


def refresh(*, pk: int, clock: Callable[[], datetime]) -> bool:
    """Compute a summary; False when another worker has it, or its kind is not known here any more."""
    began = clock()
    row = jobs.claim(Summary, pk, began)
    if row is None:
        return False
    # Before anything is read: a change that comes later outdates it again.
    Summary.objects.filter(pk=pk, is_outdated=True).update(is_outdated=False)
    kind = next((each for each in kinds if each.name == row.name), None)
    if kind is None:
        return jobs.finish(row, clock(), error="This summary is not known.")
    with translation.override(row.language):
        value = kind.adapter.dump_python(kind.compute(row.study, row.choice), mode="json")
    return jobs.finish(row, clock(), value=value, computed_at=began)


def outdate(study: Study, _now: datetime | None = None, *, name: str = "") -> None:
    """Have a study's summaries, or the one of a name, computed again when somebody looks.

    In the transaction that changes what they read.
    """
    rows = Summary.objects.filter(study=study, name=name) if name else Summary.objects.filter(study=study)
    # Also those that are marked: whoever computes one waits for this change.
    rows.update(is_outdated=True)


def forget(study_id: int, raters: int, now: datetime) -> None:
    """Drop a study's summaries, which may quote what raters wrote."""
    Summary.objects.filter(study=study_id).delete()

"""Dry runs as jobs: simulated raters go through a copy of a draft. Their results are counted and the copy is deleted.

A dry run is deleted by a user, replaced by the next one, or removed after a launch, a publication, or a week.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from statistics import median
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import Count, F, Q, QuerySet
from django.utils.translation import gettext as _

from core import jobs
from core.errors import Conflict, DomainError, Invalid
from core.jobs import TakenOver, explain
from raters.people.models import Session
from raters.previews import copies, hooks
from raters.previews.models import DryRun
from raters.rating.models import Batch, Trial
from raters.simulation.simulated_people import Person, crowd
from raters.simulation.simulated_sessions import simulate
from studies.definition import facts
from studies.definition import queries as definition_queries
from studies.launch import checks
from studies.launch import copies as study_copies
from studies.launch import plan as plans
from studies.pool import queries as pool_queries

if TYPE_CHECKING:
    from studies.definition.models import Study

# A session takes the worker one or two seconds.
MOST_RATERS = 200
USUAL_RATERS = 30
CARELESS = 0.2
SEED = 1
KEPT = timedelta(days=7)
OVER = Q(state__in=[jobs.DONE, jobs.FAILED])
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SystemBalance:
    """Usable ratings of a system's clips or screens: the total, and those of the least and most rated one."""

    system: str
    items: int
    ratings: int
    fewest: int
    most: int


@dataclass(frozen=True, slots=True)
class DryRunResult:
    """Results of a dry run; minutes are from arrival to the last answer."""

    raters: int
    careless: int
    careful: int
    minutes: float
    longest_minutes: float
    traps: int
    traps_passed: int
    batches: int
    valid_batches: int
    careful_excluded: int
    careless_excluded: int
    wanted: int
    balance: list[SystemBalance]


def raters_needed(study: Study, now: datetime) -> int:
    """Return the number of raters the draft needs, at most `MOST_RATERS`; `USUAL_RATERS` if unknown."""
    plan, _shown = plans.shown_plan(study, study.definition, now)
    return min(MOST_RATERS, plan.raters if plan else 0) or USUAL_RATERS


def request(*, study: Study, raters: int, now: datetime) -> DryRun:
    """Queue a dry run, replacing the study's last one; raises `Invalid`, or `Conflict` while one is under way."""
    if not 1 <= raters <= MOST_RATERS:
        text = _("Simulate 1 to {most} raters.").format(most=MOST_RATERS)
        raise Invalid(text, {"raters": text})
    blocking = checks.layout_findings(plans.plan_of(study))
    if blocking:
        raise Conflict(" ".join(blocking), code="preview_blocked", findings=blocking)
    new = {"raters": raters, "state": jobs.QUEUED, "queued_at": now, "ended_at": None, "result": None, "figures": None}
    new |= {"tries": 0, "done": 0, "total": raters, "error": "", "lease_until": None}
    with transaction.atomic():
        row, created = DryRun.objects.get_or_create(study_id=study.pk, defaults=new)
        over = DryRun.objects.filter(OVER, pk=row.pk)
        if not created and not over.update(**new):
            raise Conflict(_("A dry run of this study is under way."), code="under_way")
    row.refresh_from_db()
    return row


def newest(study_id: int, now: datetime) -> DryRun | None:
    """Return the study's last dry run, unless it is over and outdated."""
    return DryRun.objects.filter(study=study_id).exclude(pk__in=_outdated(now)).first()


def delete(*, study_id: int) -> None:
    """Delete the study's last dry run; raises `Conflict` while it is under way."""
    rows = DryRun.objects.filter(study=study_id)
    if rows.exists() and not rows.filter(OVER).delete()[0]:
        raise Conflict(_("A dry run of this study is under way."), code="under_way")


def delete_outdated(*, now: datetime) -> None:
    """Delete dry runs more than a week old or older than the last publication."""
    if rows := list(_outdated(now).values_list("pk", flat=True)):
        DryRun.objects.filter(OVER, pk__in=rows).delete()


def _outdated(now: datetime) -> QuerySet[DryRun]:
    published = Q(study__versions__published_at__gte=F("queued_at"))
    return DryRun.objects.filter(OVER).filter(Q(ended_at__lt=now - KEPT) | published)


def run(*, pk: int, clock: Callable[[], datetime]) -> bool:
    """Carry out a dry run; False if another worker has taken it."""
    row = jobs.claim(DryRun, pk, clock())
    if row is None:
        return False
    error, result, figures = "", None, None
    try:
        counted, figures = _play(row, clock)
        result = asdict(counted)
    except TakenOver:
        return False
    except DomainError as refusal:
        error = refusal.message
    except Exception as unforeseen:
        logger.exception("%s failed", row)
        error = explain(unforeseen)
    with transaction.atomic():
        if not jobs.finish(row, clock(), error=error, result=result, figures=figures):
            # Another worker has taken over the run, including the copy.
            return False
        _clear(row)
    return True


def _play(row: DryRun, clock: Callable[[], datetime]) -> tuple[DryRunResult, dict[str, Any] | None]:
    _clear(row)
    study = definition_queries.study_of(row.study_id)
    with transaction.atomic():
        row.copy = study_copies.make(study=study, now=clock(), enough=None)
        DryRun.objects.filter(pk=row.pk).update(copy=row.copy)

    def report(done: int, total: int) -> None:
        if not jobs.renew(row, clock(), done=done, total=total):
            raise TakenOver

    simulate(study_id=row.copy, raters=row.raters, seed=SEED, careless=CARELESS, now=clock(), progress=report)
    # At most one app registers a hook.
    figures = [each.compute(row.copy, clock()) for each in hooks.dry_run_figures]
    return _counted(row.copy, row.raters), figures[0] if figures else None


def _clear(row: DryRun) -> None:
    """Delete the copy of this run or of an interrupted try."""
    copy = DryRun.objects.filter(pk=row.pk).values_list("copy", flat=True).get()
    if copy is not None:
        if copies.exists(copy):
            copies.end(copy_id=copy)
        DryRun.objects.filter(pk=row.pk).update(copy=None)


def _counted(copy: int, raters: int) -> DryRunResult:
    sessions = Session.objects.filter(study=copy)
    complete = sessions.filter(outcome=Session.Outcome.COMPLETE).values_list("arrived_at", "ended_at")
    minutes = sorted((ended - arrived).total_seconds() / 60 for arrived, ended in complete if ended) or [0.0]
    careless = {f"{copy}-{SEED}-{person.number}" for person in _people(raters) if person.careless}
    usable = set(Trial.objects.filter(session__study=copy, usable=True).values_list("session_id", flat=True))
    excluded = [name for pk, name in sessions.values_list("pk", "ext_session") if pk not in usable]
    counts = list(Batch.objects.filter(session__study=copy).values_list("valid", "trap_counts"))
    return DryRunResult(
        raters=raters,
        careless=len(careless),
        careful=raters - len(careless),
        minutes=round(median(minutes), 1),
        longest_minutes=round(minutes[-1], 1),
        traps=sum(each.get("flawed", 0) + each.get("humans", 0) for _valid, each in counts),
        traps_passed=sum(each.get("flawed_right", 0) + each.get("human_right", 0) for _valid, each in counts),
        batches=len(counts),
        valid_batches=sum(valid is True for valid, _each in counts),
        careful_excluded=sum(name not in careless for name in excluded),
        careless_excluded=sum(name in careless for name in excluded),
        wanted=facts.frozen(facts.newest_version(copy)).protocol.ratings_wanted,
        balance=_balance(copy),
    )


def _people(raters: int) -> Collection[Person]:
    return crowd(raters=raters, seed=SEED, careless=CARELESS)


def _balance(copy: int) -> list[SystemBalance]:
    rated = Trial.objects.filter(session__study=copy, pool__isnull=False, usable=True)
    ratings = dict(rated.order_by().values_list("pool").annotate(number=Count("pk")))
    by_system: dict[str, list[int]] = {}
    for place in pool_queries.places(copy, simulated=True):
        by_system.setdefault(place.system, []).append(ratings.get(place.pool, 0))
    return [
        SystemBalance(system, len(each), sum(each), min(each), max(each)) for system, each in sorted(by_system.items())
    ]

"""Make the finished studies of the demo in a worker, one after another, and then their analyses.

Analyses take longer than everything else, so they wait until all studies can be looked at. At most one step runs at a
time, and the next one is queued behind the jobs that people have requested meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import transaction

from analysis.data.models import Simulated
from analysis.live import stored
from analysis.runs import analyses
from analysis.runs import queries as analysis_queries
from core import jobs
from core.errors import DomainError
from core.nudge import nudge
from demo import designs, reviewing, seeding
from demo.models import FinishedStudy

if TYPE_CHECKING:
    from accounts.users.models import User
    from demo.designs import Design

ANALYSE = "demo.analyse_finished"
DESIGNS = {design.slug: design for design in designs.FINISHED}


@transaction.atomic
def request(*, owner: User | None, now: datetime) -> None:
    """Queue what is left to make: studies that failed, otherwise the next one, and finally the analyses."""
    again = {"state": jobs.QUEUED, "queued_at": now, "tries": 0, "error": ""}
    FinishedStudy.objects.filter(state=jobs.FAILED).update(**again)
    if not FinishedStudy.objects.exclude(state=jobs.DONE).exists():
        _request_next(owner, now)


def run(*, pk: int, clock: Callable[[], datetime]) -> bool:
    """Make one study, then request what is next; False if another worker has the row.

    If a worker is killed, the next one continues with the first step that isn't done.
    """
    row = jobs.claim(FinishedStudy, pk, clock())
    if row is None:
        return False
    error = ""
    try:
        _make(DESIGNS[row.slug], row.owner, clock)
    except DomainError as refusal:
        error = refusal.message
    except Exception as failure:
        jobs.finish(row, clock(), error=jobs.explain(failure))
        raise
    with transaction.atomic():
        is_mine = jobs.finish(row, clock(), error=error)
        if is_mine:
            _request_next(row.owner, clock())
    return is_mine


def analyse(*, pk: int, clock: Callable[[], datetime]) -> None:
    """Analyse a finished study unless that was done, then send a worker to the next one.

    Of analyses requested together, two would occupy both worker processes for minutes.
    """
    row = FinishedStudy.objects.get(pk=pk)
    following = FinishedStudy.objects.filter(pk__gt=pk).order_by("pk").first()
    study, design = seeding.find(row.slug), DESIGNS[row.slug]
    try:
        if study is not None and study.remark == design.remark and not analysis_queries.of(study.pk):
            choice = Simulated.ONLY.value
            analysis = analyses.request_analysis(study_id=study.pk, user=row.owner, now=clock(), simulated=choice)
            analyses.run(pk=analysis.pk, clock=clock)
    finally:
        if following is not None:
            nudge(ANALYSE, following.pk)


def _request_next(owner: User | None, now: datetime) -> None:
    known = set(FinishedStudy.objects.values_list("slug", flat=True))
    slug = next((slug for slug in DESIGNS if slug not in known), None)
    if slug is None:
        first = FinishedStudy.objects.order_by("pk").values_list("pk", flat=True)[0]
        nudge(ANALYSE, first)
        return
    row = FinishedStudy.objects.create(slug=slug, owner=owner, queued_at=now)
    nudge(row.task_name, row.pk)


def _make(design: Design, owner: User | None, clock: Callable[[], datetime]) -> None:
    made = seeding.make(design, owner=owner, say=lambda _text: None)
    if made is None:
        return
    reviewing.review(study=made.study, now=clock())
    # Requested now, so that the first visitor finds the scores.
    stored.newest(made.study, Simulated.ONLY, now=clock())

"""Simulations as jobs of a worker."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils.translation import gettext as _

from core import jobs
from core.errors import Conflict, DomainError, NotFound
from core.jobs import TakenOver, explain
from core.nudge import nudge
from raters.simulation.models import Simulation
from raters.simulation.simulated_sessions import simulate

if TYPE_CHECKING:
    from studies.definition.models import Study

# A session takes the worker about a second.
MOST_RATERS = 200


@transaction.atomic
def request(*, study: Study, raters: int, seed: int, now: datetime) -> Simulation:
    """Queue a simulation; one that is under way with the same numbers is returned instead of a second."""
    if study.state != study.State.LIVE:
        raise Conflict(_("Simulated raters take part in live studies only."), code="wrong_state", state=study.state)
    wanted = {"study_id": study.pk, "raters": raters, "seed": seed}
    under_way = Simulation.objects.filter(**wanted, state__in=[jobs.QUEUED, jobs.RUNNING]).first()
    row = under_way or Simulation.objects.create(**wanted, queued_at=now, total=raters)
    nudge(row.task_name, row.pk)
    return row


def of_study(study_id: int, pk: int) -> Simulation:
    """Return a simulation; raises `NotFound`."""
    row = Simulation.objects.filter(study=study_id, pk=pk).first()
    if row is None:
        raise NotFound(_("There is no such simulation of this study."))
    return row


def run(*, pk: int, clock: Callable[[], datetime]) -> bool:
    """Carry out a simulation, also after an interrupted try; False if another worker has taken it."""
    row = jobs.claim(Simulation, pk, clock())
    if row is None:
        return False

    def report(done: int, total: int) -> None:
        if not jobs.renew(row, clock(), done=done, total=total):
            raise TakenOver

    error = ""
    try:
        simulate(study_id=row.study_id, raters=row.raters, seed=row.seed, now=clock(), progress=report)
    except TakenOver:
        return False
    except DomainError as refusal:
        error = refusal.message
    except Exception as failure:
        jobs.finish(row, clock(), error=explain(failure))
        raise
    return jobs.finish(row, clock(), error=error)

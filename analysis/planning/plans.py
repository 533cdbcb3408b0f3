"""Plans of how many raters a study needs: requested, computed by a worker, stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _
from pydantic import ValidationError

from analysis.planning import inferiority, power, underway
from analysis.planning.inputs import PowerInputs, WidthInputs
from analysis.planning.models import PowerPlan
from analysis.planning.result import PowerResults, WidthResults
from analysis.sections.results import dump
from core import jobs
from core.errors import Invalid, NotFound
from core.jobs import TakenOver
from core.spec import Spec, problems
from studies.clips import figures
from studies.definition import queries as definition_queries
from studies.definition import widths
from studies.task_types.base import AnyTaskType, ScoreScale

AnyInputs = TypeVar("AnyInputs", bound=Spec)
KINDS: dict[str, type[PowerInputs | WidthInputs]] = {"power": PowerInputs, "width": WidthInputs}


@transaction.atomic
def request_plan(*, study_id: int, kind: str, raw: Mapping[str, Any], user: Any, now: datetime) -> PowerPlan:
    """Queue a plan of a `kind` (power, width); raises `Invalid` with the fields that can't be planned."""
    inputs = read(kind, raw)
    scale = _scale(study_id)
    if isinstance(inputs, PowerInputs):
        in_scores = inputs.times(1 / scale.factor)
        power.expected(in_scores, scale, is_pair=_kind(study_id).contests)
        inferiority.human_score(in_scores, scale)
    name = "difference" if isinstance(inputs, PowerInputs) else "width"
    if wrong := widths.problem(getattr(inputs, name), scale):
        raise Invalid(wrong, {name: wrong})
    stored_inputs = {"kind": kind, "unit": "shown", **inputs.model_dump(mode="json")}
    return PowerPlan.objects.create(
        study_id=study_id, created_by=user, created_at=now, queued_at=now, inputs=stored_inputs
    )


def read(kind: str, raw: Mapping[str, Any]) -> PowerInputs | WidthInputs:
    """Validate the inputs of a plan."""
    return validated(KINDS[kind], raw)


def validated(inputs: type[AnyInputs], raw: Mapping[str, Any]) -> AnyInputs:
    """Validate inputs; raises `Invalid` with the fields that can't be planned."""
    try:
        return inputs.model_validate(raw)
    except ValidationError as error:
        raise Invalid(_("This can’t be planned like this."), problems(error.errors())) from error


def run_plan(*, pk: int, clock: Callable[[], datetime]) -> bool:
    """Compute a plan; False if another worker has the row. If it can't be planned, its row says why."""
    from analysis.stats.design import NotEstimable

    plan = jobs.claim(PowerPlan, pk, clock())
    if plan is None:
        return False

    def report(done: int, total: int) -> None:
        if not jobs.renew(plan, clock(), done=done, total=total):
            raise TakenOver

    try:
        results = compute(plan, report, clock())
    except TakenOver:
        return False
    except (NotEstimable, Invalid) as error:
        return jobs.finish(plan, clock(), error=str(error))
    except Exception as error:
        message = _("Something unforeseen went wrong ({name}); the worker’s log says where.").format(
            name=type(error).__name__
        )
        jobs.finish(plan, clock(), error=message)
        raise
    return jobs.finish(plan, clock(), results=dump(results), app_version=str(settings.VERSION))


def compute(plan: PowerPlan, report: Callable[[int, int], None], now: datetime) -> PowerResults | WidthResults:
    """Return the results of a plan, with scores in the unit of its inputs."""
    definition = definition_queries.definition(definition_queries.study_of(plan.study_id))
    factor = definition.kind.score.factor if plan.is_as_shown else 1
    inputs = read(plan.inputs["kind"], plan.parameters).times(1 / factor)
    if isinstance(inputs, PowerInputs):
        return power.compute(inputs, definition, report, figures.groups(plan.study_id)).times(factor)
    return underway.compute(inputs, definition, plan.study_id, report, now).times(factor)


def shown_inputs(plan: PowerPlan) -> PowerInputs | WidthInputs:
    """Return the inputs, with scores in the unit that pages show."""
    return read(plan.inputs["kind"], plan.parameters).times(shown_factor(plan))


def shown_factor(plan: PowerPlan) -> int:
    """Return the factor that converts a plan's scores to the unit that pages show."""
    return 1 if plan.is_as_shown else _scale(plan.study_id).factor


def _kind(study_id: int) -> AnyTaskType:
    return definition_queries.definition(definition_queries.study_of(study_id)).kind


def _scale(study_id: int) -> ScoreScale:
    return _kind(study_id).score


def recent(study_id: int, limit: int) -> Sequence[PowerPlan]:
    return list(PowerPlan.objects.filter(study_id=study_id).order_by("-pk")[:limit])


def before(study_id: int, launched: datetime | None) -> Sequence[PowerPlan]:
    """Return the finished plans before a launch, newest first."""
    rows = PowerPlan.objects.filter(study_id=study_id, state=jobs.DONE).order_by("-pk")
    return list(rows if launched is None else rows.filter(created_at__lte=launched))


def power_plan(study_id: int, pk: int) -> PowerPlan:
    """Return one plan of this study; raises `NotFound`."""
    row = PowerPlan.objects.filter(study_id=study_id, pk=pk).first()
    if row is None:
        raise NotFound("There is no such plan of this study.")
    return row

"""Plan a study, show a plan's progress and results, and show interim analyses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods
from pydantic import ValidationError

from analysis.data.access import shows_scores
from analysis.data.hiding import scores_are_hidden
from analysis.planning import kappa, look_view, looks, plans, stopping, view
from analysis.planning.forms import PlanForm, filled, power_initial, width_initial
from analysis.planning.inputs import KappaInputs, PowerInputs, WidthInputs
from analysis.planning.models import PowerPlan
from core import clock, jobs
from core.errors import Invalid, NotFound
from core.nudge import nudge
from studies.definition import queries as definition_queries
from studies.members.pages import of_study

if TYPE_CHECKING:
    from studies.definition.definition import Definition
    from studies.definition.models import Study

SHOWN = 10


@require_http_methods(["GET", "POST"])
@never_cache
@of_study
def planning(request: HttpRequest, study: Study) -> HttpResponse:
    """Show forms, interim analyses and earlier plans, or (POST) start a plan of the named kind."""
    definition = definition_queries.definition(study)
    forms = {
        "power": PlanForm(PowerInputs, initial=power_initial(study, definition), prefix="power"),
        "width": PlanForm(WidthInputs, initial=width_initial(definition), prefix="width"),
    }
    _word(forms["power"], definition)
    status = 200
    if request.method == "POST":
        kind = request.POST.get("kind", "")
        if kind not in forms:
            raise Http404
        forms[kind] = form = PlanForm(plans.KINDS[kind], request.POST, prefix=kind)
        _word(form, definition)
        row = begin(request, study, kind, form) if form.is_valid() else None
        if row is not None:
            return redirect("analysis:plan", slug=study.slug, pk=row.pk)
        status = 422
    context = {
        "study": study,
        "definition": definition,
        "scale": definition.kind.score,
        "forms": forms,
        "plans": [(row, asked(row)) for row in plans.recent(study.pk, SHOWN)],
        **looked(request, study),
        **experts_plan(request, definition),
    }
    return render(request, "analysis/planning/planning.html", context, status=status)


def experts_plan(request: HttpRequest, definition: Definition) -> dict[str, Any]:
    """Return the form of the experts' kappa with its answer, which GET asks for; empty if no experts decide."""
    if not kappa.has_experts(definition):
        return {}
    is_asked = "kappa-kappa" in request.GET
    initial = {name: field.default for name, field in KappaInputs.model_fields.items()}
    form = PlanForm(KappaInputs, request.GET if is_asked else None, prefix="kappa", initial=initial)
    is_valid = is_asked and form.is_valid()
    inputs = KappaInputs.model_validate(filled(form, form.cleaned_data)) if is_valid else None
    return {"kappa_form": form, "kappa_inputs": inputs, "kappa_needs": inputs and kappa.needs(inputs, definition)}


def asked(plan: PowerPlan) -> PowerInputs | WidthInputs | None:
    """Return the inputs of a plan; None if stored by another release in a format that can't be read."""
    try:
        return plans.shown_inputs(plan)
    except (KeyError, Invalid):
        return None


def _word(form: PlanForm, definition: Definition) -> None:
    if definition.kind.contests:
        form.word_for_pairs()


def begin(request: HttpRequest, study: Study, kind: str, form: PlanForm) -> PowerPlan | None:
    """Queue the plan; None if it was refused, with the reason in the form."""
    try:
        row = plans.request_plan(
            study_id=study.pk, kind=kind, raw=filled(form, form.cleaned_data), user=request.user, now=clock.now()
        )
    except Invalid as error:
        form.tell(error)
        return None
    nudge(row.task_name, row.pk)
    return row


def looked(request: HttpRequest, study: Study) -> dict[str, Any]:
    """Return the planned interim analyses and their results."""
    plan = stopping.plan_of(definition_queries.definition(study))
    is_hidden = scores_are_hidden(study, request.user)
    return {
        "is_hidden": is_hidden,
        "look_plan": plan,
        "looks": look_view.rows(plan, looks.of_study(study.pk), is_hidden=is_hidden),
    }


@require_GET
@never_cache
@of_study
def plan(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Show a plan's progress, then its results; with ?part=1 only the part that changes."""
    try:
        row = plans.power_plan(study.pk, pk)
    except NotFound as error:
        raise Http404(error.message) from error
    definition = definition_queries.definition(study)
    context = {
        "study": study,
        "plan": row,
        "kind": row.inputs.get("kind"),
        "definition": definition,
        "scale": definition.kind.score,
        **(
            results_of(row, definition, is_hidden=scores_are_hidden(study, request.user))
            if row.state == jobs.DONE
            else {}
        ),
        "back": reverse("analysis:planning", args=[study.slug]),
    }
    return render(request, f"analysis/planning/{'plan_part' if 'part' in request.GET else 'plan'}.html", context)


def results_of(plan: PowerPlan, definition: Definition, *, is_hidden: bool) -> dict[str, Any]:
    """Return the results for the page, or the notice that another release stored them in an unreadable format."""
    try:
        if plan.inputs["kind"] == "power":
            return {"power": view.power(plan, definition)}
        return {"width": view.width(plan, is_hidden=is_hidden)}
    except (KeyError, ValidationError):
        return {"is_unreadable": True}


@require_GET
@never_cache
@of_study
@shows_scores
def look_record(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Return the stored record of an interim analysis."""
    row = next((row for row in looks.of_study(study.pk) if row.number == number and row.state == jobs.DONE), None)
    if row is None:
        raise Http404
    headers = {"Content-Disposition": f'attachment; filename="{study.slug}-look-{number}.json"'}
    return JsonResponse(row.found, safe=False, json_dumps_params={"ensure_ascii": False}, headers=headers)

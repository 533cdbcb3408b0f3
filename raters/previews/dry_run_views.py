"""The dry run page: start a run, follow its progress, show its results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from core import clock
from core.errors import Conflict, Invalid
from core.nudge import nudge
from core.web import client_input
from raters.previews import dry_runs, hooks
from raters.previews.access import of_study
from raters.sessions.views import redirect_303
from studies.members import access
from studies.rules.roles import Capability

if TYPE_CHECKING:
    from studies.definition.models import Study


def has_run(study: Study) -> bool:
    """True if the study has a dry run, which may still be at work."""
    return dry_runs.newest(study.pk, clock.now()) is not None


def panel(study: Study) -> SafeString:
    """Render the launch page's link to the dry run."""
    says = _("Simulated raters go through a copy of the draft: minutes, balance of ratings, traps and exclusions.")
    address, label = reverse("previews:dry_run", args=[study.slug]), _("Open the dry run")
    job = dry_runs.newest(study.pk, clock.now())
    done = ""
    if job is not None and job.result:
        text = _("✓ Done: {raters} simulated raters, who need {minutes} minutes (median).")
        words = text.format(raters=job.result["raters"], minutes=job.result["minutes"])
        done = format_html('<p class="done">{}</p>', words)
    return format_html('{}<p>{}</p><p><a class="button secondary" href="{}">{}</a></p>', done, says, address, label)


@require_http_methods(["GET", "POST"])
@of_study
def dry_run(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the last dry run, and start a new one on POST."""
    problem, findings, status = "", [], 200
    may_start = access.may(study, request.user, Capability.CHANGE_STUDY)
    if request.method == "POST" and not may_start:
        raise PermissionDenied
    raters = client_input.whole_number(request.POST.get("raters", ""))
    if request.method == "POST":
        try:
            row = dry_runs.request(study=study, raters=raters or 0, now=clock.now())
        except Invalid as error:
            problem, status = error.problems["raters"], 422
        except Conflict as error:
            findings, status = error.detail.get("findings", [error.message]), 409
        else:
            nudge(row.task_name, row.pk)
            return redirect_303("previews:dry_run", study.slug)
    context = {
        "study": study,
        "results": [reverse(each.page, args=[study.slug]) for each in hooks.dry_run_figures],
        "job": dry_runs.newest(study.pk, clock.now()),
        "raters": request.POST.get("raters") or dry_runs.raters_needed(study, clock.now()),
        "most": dry_runs.MOST_RATERS,
        "may_start": may_start,
        "problem": problem,
        "findings": findings,
    }
    return render(request, "raters/previews/dry_run.html", context, status=status)


@require_GET
@of_study
def progress(request: HttpRequest, study: Study) -> JsonResponse:
    """Return the progress of the dry run for the page's script."""
    job = dry_runs.newest(study.pk, clock.now())
    if job is None:
        return JsonResponse({"percent": 0, "done": 0, "total": 0, "over": True})
    return JsonResponse({"percent": job.percent, "done": job.done, "total": job.total, "over": job.is_over})


@require_POST
@of_study
def delete(request: HttpRequest, study: Study) -> HttpResponse:
    """Delete the last dry run with its figures."""
    if not access.may(study, request.user, Capability.CHANGE_STUDY):
        raise PermissionDenied
    try:
        dry_runs.delete(study_id=study.pk)
    except Conflict as error:
        messages.error(request, error.message)
    else:
        messages.success(request, _("The dry run was deleted."))
    return redirect_303("previews:dry_run", study.slug)

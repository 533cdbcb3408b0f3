"""A study's page of one import: its progress, its problems, and the report."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from core import clock
from core.nudge import nudge
from studies.clips.models import ClipImport
from studies.definition.models import Study
from studies.imports import renditions
from studies.imports.forms import AddClipsForm
from studies.imports.report import as_csv, shown
from studies.imports.upload_views import form_context, sending
from studies.members.pages import own_page, show

REPORT_ROWS = 200


@own_page()
def import_page(request: HttpRequest, study: Study, job: int) -> HttpResponse:
    """Show the progress of an import, and its problems at the end; start a failed conversion again."""
    row = _own_import(study, job)
    if request.method == "POST":
        renditions.request(study, clock.now())
        if (queued := renditions.waiting(study)) is not None:
            row = queued
            nudge(row.task_name, row.pk)
        return redirect("studies:import", study.slug, row.pk)
    groups = shown(row.report)
    context = {
        "job": row,
        "report": groups[:REPORT_ROWS],
        "refusals": row.refusals,
        "needs_questions": study.definition.kind.asks and not study.questions.exists(),
        "more": max(0, len(groups) - REPORT_ROWS),
        **form_context(request, study, AddClipsForm(study=study)),
    }
    return sending(show(request, study, "studies/imports/import.html", _("Clips"), context))


@require_GET
@own_page()
def import_status(request: HttpRequest, study: Study, job: int) -> JsonResponse:
    """Return the progress of an import for the page's script, and whether it is done."""
    row = _own_import(study, job)
    return JsonResponse({"percent": row.percent, "done": row.done, "total": row.total, "over": row.is_over})


@require_GET
@own_page()
def import_report(request: HttpRequest, study: Study, job: int) -> HttpResponse:
    """Return the complete report as CSV."""
    row = _own_import(study, job)
    response = HttpResponse(as_csv(row.report), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-import-{row.pk}.csv"'
    return response


def _own_import(study: Study, job: int) -> ClipImport:
    row = study.imports.select_related("created_by").filter(pk=job).first()
    if row is None:
        raise Http404
    return row

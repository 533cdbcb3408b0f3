"""Ask for an export, watch it being written, take it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from analysis import tasks
from analysis.models import Export, Simulated
from analysis.selectors import results
from analysis.services import exports
from analysis.views.access import of_study
from core import clock, jobs, storage
from core.errors import NotFound
from core.nudge import nudge

if TYPE_CHECKING:
    from studies.models import Study


@require_http_methods(["GET", "POST"])
@never_cache
@of_study
def export(request: HttpRequest, study: Study) -> HttpResponse:
    """Choose what to export, or (POST) begin."""
    if request.method == "POST":
        wanted = request.POST.get("simulated", "")
        simulated = Simulated(wanted) if wanted in Simulated.values else Simulated.WITHOUT
        row = exports.request_export(study_id=study.pk, simulated=simulated, user=request.user, now=clock.now())
        if not row.is_over:
            nudge(tasks.build_export, row.pk)
        return redirect("analysis:export_detail", slug=study.slug, pk=row.pk)
    chosen = request.GET.get("simulated", Simulated.WITHOUT.value)
    context = {
        "study": study,
        "modes": list(Simulated),
        "chosen": chosen,
        "exports": results.recent_exports(study.pk, 20),
    }
    return render(request, "analysis/export.html", context)


@require_GET
@never_cache
@of_study
def export_detail(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Show how far an export is, then where to take it; with ?part=1 the changing part alone."""
    context = {"study": study, "export": found(study, pk)}
    return render(request, f"analysis/{'progress' if 'part' in request.GET else 'export_detail'}.html", context)


@require_GET
@never_cache
@of_study
def export_download(request: HttpRequest, study: Study, pk: int) -> FileResponse:
    """Send the ZIP."""
    row = found(study, pk)
    if row.state != jobs.DONE or not row.file:
        raise Http404
    name = f"{study.slug}-{row.simulated}-{row.created_at:%Y%m%d-%H%M%S}.zip"
    try:
        file = storage.open_file(row.file)
    except FileNotFoundError as error:
        # A newer download has just taken its place.
        raise Http404 from error
    return FileResponse(file, as_attachment=True, filename=name, content_type="application/zip")


def found(study: Study, pk: int) -> Export:
    """Return the export; raises Http404."""
    try:
        return results.export(study.pk, pk)
    except NotFound as error:
        raise Http404(error.message) from error

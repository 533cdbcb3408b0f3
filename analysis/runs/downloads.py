"""Downloads of a finished analysis: its report as a page and as PDF, its tables as a ZIP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from analysis.data.access import of_study, shows_scores
from analysis.report import printing
from analysis.runs.views import found
from core.files import storage

if TYPE_CHECKING:
    from studies.definition.models import Study

TYPES = {
    printing.HTML: "text/html; charset=utf-8",
    printing.PDF: "application/pdf",
    printing.TABLES: "application/zip",
}


@require_GET
@never_cache
@of_study
@shows_scores
def download(request: HttpRequest, study: Study, pk: int, file: str) -> HttpResponseBase:
    """Send a file; where this machine could not make a PDF, say what to install."""
    documents = found(study, pk).files.get("documents", {})
    if file in documents:
        name = f"{study.slug}-analysis-{pk}-{file}"
        stored = storage.open_file(documents[file])
        return FileResponse(stored, as_attachment=True, filename=name, content_type=TYPES[file])
    if file == printing.PDF and documents.get("problem"):
        return HttpResponse(documents["problem"], status=503, content_type="text/plain; charset=utf-8")
    raise Http404

"""Downloads of a finished analysis: its report as HTML and PDF, its tables as a ZIP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from analysis.data.access import shows_scores
from analysis.report import document, printing
from analysis.runs import translated
from analysis.runs.views import analysis_or_404, language_of
from analysis.sections.results import UnreadableResults
from core.files import storage
from core.text import languages
from core.text.words import say
from studies.members.pages import of_study

if TYPE_CHECKING:
    from analysis.runs.models import Analysis
    from studies.definition.models import Study

TYPES = {
    printing.HTML: "text/html; charset=utf-8",
    printing.PDF: "application/pdf",
    printing.TABLES: "application/zip",
}
UNREADABLE = say(
    "This release can’t read the results of this analysis, so its report is in English only. Run the analysis again to "
    "get it in another language."
)


@require_GET
@never_cache
@of_study
@shows_scores
def download(request: HttpRequest, study: Study, pk: int, file: str) -> HttpResponseBase:
    """Send a file, or say what to install if this machine could not make the PDF.

    Reports are stored in English; for another `language` in the query they are made on request.
    """
    analysis, language = analysis_or_404(study, pk), language_of(request)
    documents = analysis.files.get("documents", {})
    if file in documents and file != printing.TABLES and language != "en":
        return _translated(analysis, file, language)
    if file in documents:
        name = f"{study.slug}-analysis-{pk}-{file}"
        stored = storage.open_file(documents[file])
        return FileResponse(stored, as_attachment=True, filename=name, content_type=TYPES[file])
    if file == printing.PDF and documents.get("problem"):
        return _problem(documents["problem"])
    raise Http404


def _translated(analysis: Analysis, file: str, language: str) -> HttpResponse:
    try:
        written = translated.report(analysis, file, language)
    except document.NoPango as error:
        return _problem(error.message)
    except UnreadableResults:
        with languages.speaking(language):
            return _problem(UNREADABLE, status=409)
    name = f"{analysis.study.slug}-analysis-{analysis.pk}-{language}-{file}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(written, content_type=TYPES[file], headers=headers)


def _problem(message: str, status: int = 503) -> HttpResponse:
    return HttpResponse(gettext(message), status=status, content_type="text/plain; charset=utf-8")

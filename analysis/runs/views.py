"""Analyses: start one, watch its progress, read it, repeat it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import get_language, gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from analysis.data.access import shows_scores
from analysis.data.models import Simulated
from analysis.report.page import blocks
from analysis.report.summary import basis
from analysis.runs import analyses, queries, translated
from analysis.runs.models import Analysis
from analysis.sections.blocks import rating_unit
from analysis.sections.results import UnreadableResults, load
from core import clock
from core.errors import Invalid, NotFound
from core.files import storage
from core.nudge import nudge
from core.text import languages
from core.web import client_input
from studies.definition import queries as definition_queries
from studies.members.pages import of_study

if TYPE_CHECKING:
    from studies.definition.models import Study

TYPES = {"svg": "image/svg+xml", "png": "image/png"}


@require_http_methods(["GET", "POST"])
@never_cache
@of_study
@shows_scores
def index(request: HttpRequest, study: Study) -> HttpResponse:
    """List the analyses, or (POST) start one."""
    problem = ""
    wanted = choice_of(request.GET, "simulated") or queries.rated_sessions(study.pk)
    if request.method == "POST":
        wanted = choice_of(request.POST, "simulated") or Simulated.WITHOUT
        try:
            started = analyses.request_analysis(
                study_id=study.pk,
                user=request.user,
                now=clock.now(),
                simulated=wanted,
                versions=whole_numbers(request.POST.getlist("version")),
                seed=whole_number(request.POST.get("seed", "")),
            )
            return watch(study, started)
        except Invalid as error:
            problem = " ".join(error.problems.values()) or error.message
    context = {
        "study": study,
        "analyses": queries.of(study.pk)[:50],
        "versions": definition_queries.versions(study.pk),
        "modes": [(mode, mode == wanted) for mode in Simulated],
        "seed": analyses.SEED,
        "problem": problem,
    }
    return render(request, "analysis/runs/analyses.html", context, status=422 if problem else 200)


@require_GET
@never_cache
@of_study
@shows_scores
def detail(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Show the progress of an analysis, then its results; with `part`, only the progress."""
    analysis = analysis_or_404(study, pk)
    is_readable = True
    try:
        results = load(analysis.results) if analysis.results else None
    except UnreadableResults:
        results, is_readable = None, False
    shown = blocks(results, translated.definition(analysis), translated.papers(analysis)) if results else []
    context: dict[str, Any] = {
        "study": study,
        "analysis": analysis,
        "outcome": queries.outcome(analysis),
        "is_readable": is_readable,
        "blocks": shown,
        "summary": [block for block in shown if block.lead],
        "basis": basis(results) if results else "",
        "unit": rating_unit(results) if results else "",
        "plots": translated.plots(analysis.files, get_language() or "en"),
        "languages": languages.with_names(settings.CATALOGUES),
        "language": get_language(),
        "problem": gettext(analysis.files.get("documents", {}).get("problem", "")),
        "inputs": results.inputs if results else None,
        "simulated": Simulated(analysis.settings["simulated"]),
        "working": analysis.section.replace("models.", "model: "),
    }
    return render(request, f"analysis/runs/analysis{'_progress' if 'part' in request.GET else ''}.html", context)


@require_POST
@of_study
@shows_scores
def again(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Repeat an analysis with the same settings."""
    before = analysis_or_404(study, pk)
    now = clock.now()
    return watch(study, analyses.request_analysis(study_id=study.pk, user=request.user, now=now, repeats=before))


@require_GET
@of_study
@shows_scores
def as_json(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Return all results of an analysis as JSON."""
    analysis = analysis_or_404(study, pk)
    if not analysis.results:
        raise Http404
    text = json.dumps(analysis.results, indent=1, ensure_ascii=False)
    name = f"{study.slug}-analysis-{pk}.json"
    return HttpResponse(
        text, content_type="application/json", headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )


@require_GET
@of_study
@shows_scores
def plot(request: HttpRequest, study: Study, pk: int, name: str, kind: str) -> HttpResponseBase:
    """Return a plot that a run has stored."""
    for drawn in translated.plots(analysis_or_404(study, pk).files, language_of(request)):
        if drawn["name"] == name and kind in TYPES:
            # As an attachment: opened in the browser, it would lose its styles, because the site's policy forbids them.
            stored = storage.open_file(drawn[kind])
            return FileResponse(stored, as_attachment=True, content_type=TYPES[kind], filename=f"{name}.{kind}")
    raise Http404


def language_of(request: HttpRequest) -> str:
    """Return the language in the query; English if it is missing or unknown."""
    language = request.GET.get("language", "")
    return language if language in settings.CATALOGUES else "en"


def watch(study: Study, analysis: Analysis) -> HttpResponse:
    """Notify a worker, and redirect to the analysis."""
    nudge(analysis.task_name, analysis.pk)
    return redirect("analysis:analysis", study.slug, analysis.pk)


def analysis_or_404(study: Study, pk: int) -> Analysis:
    """Return an analysis of this study; raises Http404."""
    try:
        return queries.analysis(study.pk, pk)
    except NotFound as error:
        raise Http404(error.message) from error


def choice_of(sent: Mapping[str, str], name: str) -> Simulated | None:
    """Return the choice that was sent; None if it is missing or unknown."""
    value = sent.get(name, "")
    return Simulated(value) if value in Simulated.values else None


def whole_numbers(written: list[str]) -> list[int] | None:
    """Return version numbers, with 0 (never a version) for invalid ones; None if nothing was ticked: all versions."""
    return [client_input.whole_number(each) or 0 for each in written] or None


def whole_number(written: str) -> int:
    """Return a number from 0; the default for an empty field, -1 (to be refused) for anything else."""
    text = written.strip()
    return analyses.SEED if not text else int(text) if text.isdecimal() and len(text) < 12 else -1

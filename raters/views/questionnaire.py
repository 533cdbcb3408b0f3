"""The page between the last clip and the end: a few questions about the rater, all of which may be left out."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods

from core import clock, languages
from raters.about import AboutForm
from raters.models import Session
from raters.services import questionnaire as service
from raters.views.sessions import Visit, rater_page, redirect_303
from studies.presets.question_lists import AFTERWARDS


@require_http_methods(["GET", "POST"])
@rater_page(Session.Step.QUESTIONS)
def questionnaire(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Ask, and store what is told; whoever skips goes on like everybody else."""
    questions = visit.definition.asking(visit.language).questionnaire
    shown: dict[str, Any] = {"spoken": languages.spoken(AFTERWARDS.spoken(visit.definition, visit.language))}
    if request.method == "GET":
        return visit.page(request, "questionnaire", form=AboutForm(questions), **shown)
    form = AboutForm(questions, request.POST)
    is_skipped = "skip" in request.POST
    if not is_skipped and not form.is_valid():
        return visit.page(request, "questionnaire", status=422, form=form, **shown)
    told = [] if is_skipped else form.told()
    service.store(session_id=visit.session.pk, told=told, now=clock.now())
    return redirect_303("raters:end", visit.slug)

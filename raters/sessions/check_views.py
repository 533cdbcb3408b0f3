"""Views of checks and practice before the first clip, and of the questionnaire after the last."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods

from core import clock, rng
from core.text import languages
from raters.people.models import Session
from raters.sessions import checks
from raters.sessions import questionnaire as answers_about
from raters.sessions.checks import CheckPage
from raters.sessions.questionnaire_form import AboutForm
from raters.sessions.views import Step, Visit, rater_page, redirect_303, task_parts
from studies.definition.question_lists import AFTERWARDS, in_language


@require_http_methods(["GET", "POST"])
@rater_page(Step.CHECKS, Step.PRACTICE)
def check(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Show a session's current check, and store the submitted answer."""
    common: dict[str, Any] = {"session_id": visit.session.pk, "now": clock.now(), "rng": rng.fresh()}
    problems, form = {}, request.POST.dict()
    if request.method == "POST":
        problems = checks.answer(at=form.get("at", ""), form=form, **common)
        if not problems:
            return redirect_303("raters:rate", visit.slug)
    shown = checks.show(**common)
    if shown is None:
        return redirect_303("raters:rate", visit.slug)
    return visit.page(
        request,
        f"checks/{shown.check.template}",
        status=422 if problems else 200,
        problems=problems,
        form=form,
        is_practice=visit.session.step == Step.PRACTICE,
        **_context(visit, shown, problems, form),
    )


def _context(visit: Visit, shown: CheckPage, problems: dict[str, str], form: dict[str, str]) -> dict[str, Any]:
    result = shown.result
    earlier = result.answers[-2] if result.tries > 1 else []
    page = shown.check.page(visit.definition, shown.step, language=visit.language, earlier=earlier)
    if problems:
        # Keep the choices made, and focus on the first missing one.
        missing = next(iter(problems))
        for question in page.get("questions", ()):
            name = question["name"]
            question |= {"chosen": form.get(name), "problem": problems.get(name), "is_next": name == missing}
    context = {
        "check": shown.check,
        "page": page,
        "at": shown.at,
        "key": shown.step["key"],
        "number": shown.number + 1,
        "numbers": len(result.drawn),
        "place": shown.place,
        "places": shown.places,
        "is_again": result.tries > 1,
        "is_recheck": result.round > 0,
        "told": result.answers[-1][-1] if result.telling else None,
    }
    if "task_type" in page:
        practice = {"trial": page["trial"], "problems": problems}
        context |= {"params": page["params"], "practice": practice, **task_parts(page["task_type"])}
    return context


@require_http_methods(["GET", "POST"])
@rater_page(Session.Step.QUESTIONS)
def questionnaire(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Show the questionnaire and store the answers; it can be skipped."""
    questions = in_language(visit.definition, visit.language).questionnaire
    shown: dict[str, Any] = {"spoken": languages.spoken(AFTERWARDS.spoken(visit.definition, visit.language))}
    if request.method == "GET":
        return visit.page(request, "questionnaire", form=AboutForm(questions), **shown)
    form = AboutForm(questions, request.POST)
    is_skipped = "skip" in request.POST
    if not is_skipped and not form.is_valid():
        return visit.page(request, "questionnaire", status=422, form=form, **shown)
    responses = [] if is_skipped else form.answers()
    answers_about.store(session_id=visit.session.pk, responses=responses, now=clock.now())
    return redirect_303("raters:end", visit.slug)

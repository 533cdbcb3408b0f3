"""Pages for raters' rights: leave, read or download the consent, and have answers deleted."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from core import clock
from core.errors import Conflict
from raters.people.models import Session
from raters.privacy import requests
from raters.rating import finishing, rights
from raters.sessions import slow_line
from raters.sessions.views import PAGES, Visit, rater_page, redirect_303

Step = Session.Step


@require_GET
@rater_page()
def information(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Show the information sheet of this session, or send it as a file."""
    sheet = rights.sheet(visit.session)
    if "download" not in request.GET:
        return visit.page(request, "information", sheet=sheet, number=visit.session.rater_id)
    return HttpResponse(_as_text(visit, sheet), content_type="text/plain; charset=utf-8")


@require_http_methods(["GET", "POST"])
@rater_page(Step.QUESTIONS, Step.ENDED)
def your_data(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Request the deletion of a finished session's answers, or undo the request."""
    session, now = visit.session, clock.now()
    erasure = rights.erasure(session)
    if request.method == "POST" and session.consented_at is not None:
        if request.POST.get("answers") == "delete":
            requests.delete_answers(session_id=session.pk, now=now)
            return redirect_303("raters:end", visit.slug)
        if request.POST.get("answers") == "keep" and erasure is not None:
            try:
                requests.undo(erasure_id=erasure.pk, now=now)
            except Conflict as error:
                return visit.page(request, "your_data", status=409, way_out="", erasure=erasure, problem=error.message)
            return redirect_303("raters:end", visit.slug)
    has_answers = session.consented_at is not None
    return visit.page(request, "your_data", way_out="", erasure=erasure, has_answers=has_answers)


@require_http_methods(["GET", "POST"])
@rater_page(Step.CHECKS, Step.INSTRUCTIONS, Step.PRACTICE, Step.RATING)
def leave(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Ask for the reason and whether to keep the answers, then end the session early."""
    if request.method == "GET":
        return visit.page(request, "leave", way_out="", back=PAGES[Step(visit.session.step)])
    if request.POST.get("why") == "line":
        # Does nothing if the session has an answer by now, such as from a newer tab.
        slow_line.leave(session_id=visit.session.pk, now=clock.now())
        return redirect_303("raters:rate", visit.slug)
    broken = request.POST.get("why") == "broken"
    outcome = Session.Outcome.TECHNICAL_FAILURE if broken else Session.Outcome.WITHDRAWN
    now = clock.now()
    finishing.leave(session_id=visit.session.pk, outcome=outcome, now=now)
    if request.POST.get("answers") == "delete":
        requests.delete_answers(session_id=visit.session.pk, now=now)
    return redirect_303("raters:rate", visit.slug)


def _as_text(visit: Visit, sheet: rights.ConsentSheet) -> str:
    agreed = sheet.agreed_at
    parts = [
        visit.study.title,
        sheet.information,
        sheet.consent or _("I have read this and agree to take part."),
        _("Agreed on {moment} UTC.").format(moment=f"{agreed:%Y-%m-%d %H:%M}") if agreed else _("Not agreed to."),
        _("Version {number} of the study; SHA-256 of the text: {hash}").format(number=sheet.version, hash=sheet.sha256),
        _("Your number: {number}").format(number=visit.session.rater_id),
    ]
    if sheet.contact:
        parts.append(f"{_('Questions? Write to:')} {sheet.contact}")
    return "\n\n".join(parts) + "\n"

"""Views of previews: the start page, the phone-sized frame, and the actions of the bar."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from core import clock, rng
from core.errors import Conflict, NotFound
from core.nudge import nudge
from core.text import languages
from raters.people import cookies
from raters.previews import copies
from raters.previews.access import of_study, staff
from raters.rating import skipping
from raters.rating.models import Batch
from raters.sessions import preview_bar
from raters.sessions.views import redirect_303
from studies.definition import facts

if TYPE_CHECKING:
    from accounts.users.models import User
    from raters.people.models import Session
    from studies.definition.models import Study


@require_http_methods(["GET", "POST"])
@of_study
def start(request: HttpRequest, study: Study) -> HttpResponse:
    """Explain previews, and start one on POST; findings that prevent it are listed."""
    if request.method == "GET":
        return render(request, "raters/previews/start.html", {"study": study})
    chosen = languages.chosen(request, study.definition.languages)
    try:
        user = cast("User", request.user)
        session = copies.start(study=study, user_id=user.pk, now=clock.now(), language=chosen)
    except Conflict as conflict:
        findings = conflict.detail.get("findings", [conflict.message])
        return render(request, "raters/previews/start.html", {"study": study, "findings": findings}, status=409)
    return _open(session, facts.by_id(session.study_id).slug, is_phone=False)


@require_GET
@staff
def phone(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the rater's pages in a phone-sized frame."""
    session = _session(request, slug)
    study = facts.by_slug(slug)
    bar = preview_bar.render_bar(request, session=session, slug=slug, is_phone=True)
    return render(request, "raters/previews/phone.html", {"study": study, "bar": bar, "slug": slug})


@require_POST
@staff
def step(request: HttpRequest, slug: str) -> HttpResponse:
    """Carry out an action of the bar, and show the next page."""
    session, now = _session(request, slug), clock.now()
    is_phone = request.POST.get("view") == "phone"
    action = request.POST.get("do", "")
    filled = None
    if action == "end":
        return _end(session, slug)
    if action == "again":
        offered = facts.frozen(session.version_id).definition.languages
        wanted = request.POST.get("language", "")
        session = copies.start_again(
            session=session, user_id=request.user.pk or 0, now=now, language=wanted if wanted in offered else ""
        )
    elif action == "skip":
        filled = copies.skip_step(session=session, now=now, rng=rng.fresh())
    elif action == "next":
        filled = skipping.pass_over(session_id=session.pk, now=now)
    if filled is not None:
        nudge(Batch.task_name, filled)
    return _open(session, slug, is_phone=is_phone)


def _session(request: HttpRequest, slug: str) -> Session:
    """Return the signed-in user's session; raises Http404 for other users."""
    try:
        return copies.session_of(slug=slug, user_id=request.user.pk or 0)
    except NotFound as error:
        raise Http404(error.message) from error


def _open(session: Session, slug: str, *, is_phone: bool) -> HttpResponse:
    """Set the session cookie and redirect to the same view."""
    response = redirect_303("previews:phone" if is_phone else "raters:rate", slug)
    cookies.put_session(response, slug=slug, session_id=session.pk)
    return response


def _end(session: Session, slug: str) -> HttpResponse:
    """Delete the preview and redirect to the study."""
    original = facts.by_id(session.study_id).preview_of
    copies.end(copy_id=session.study_id)
    response = redirect("studies:launch", facts.by_id(original or 0).slug)
    cookies.drop_session(response, slug=slug)
    return response

"""The rater's pages: arrival, information and consent, instructions, trials, end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from core import clock, rng
from core.errors import Conflict, Invalid, NotFound
from raters import cookies, notices, sources
from raters.models import Session
from raters.selectors import sessions as select
from raters.selectors.progress import Ended
from raters.selectors.wire import as_json
from raters.services import sessions, trials
from raters.sources.base import completion_code
from studies.presets.definition import Definition
from studies.selectors import facts

Step = Session.Step
PAGES = {
    Step.CONSENT: "raters:consent",
    Step.INSTRUCTIONS: "raters:instructions",
    Step.RATING: "raters:trial",
    Step.ENDED: "raters:end",
}


@dataclass(frozen=True, slots=True)
class Visit:
    """Who asks, and for which study."""

    slug: str
    session: Session
    definition: Definition
    study: facts.StudyFacts

    def page(self, request: HttpRequest, name: str, status: int = 200, **context: Any) -> HttpResponse:
        """Render one of the pages with what all of them show."""
        shared = {"study": self.study, "texts": self.definition.texts, "slug": self.slug}
        return render(request, f"raters/{name}.html", {**shared, **context}, status=status)

    def onward(self) -> HttpResponse:
        """Lead to the page of the session's current step."""
        return redirect_303(PAGES[Step(self.session.step)], self.slug)


View = Callable[[HttpRequest, Visit], HttpResponse]


def redirect_303(name: str, slug: str) -> HttpResponse:
    """Lead on with a GET, whatever the request was."""
    response = redirect(name, slug)
    response.status_code = 303
    return response


def rater_page(*steps: Session.Step) -> Callable[[View], Callable[..., HttpResponseBase]]:
    """Give a view its visit, in the study's language; a session at another step is led to its own page."""

    def decorate(view: View) -> Callable[..., HttpResponseBase]:
        @never_cache
        @wraps(view)
        def wrapped(request: HttpRequest, slug: str) -> HttpResponse:
            session_id = cookies.read(request, slug=slug)
            try:
                study = select.study_for(slug)
                session = select.session(session_id) if session_id is not None else None
            except NotFound:
                return notices.unknown_study(request)
            if session is None:
                return notices.no_session(request, study)
            definition = select.definition(session.version_id)
            with translation.override(definition.texts.language):
                visit = Visit(slug, session, definition, study)
                return view(request, visit) if not steps or session.step in steps else visit.onward()

        return wrapped

    return decorate


@never_cache
@require_GET
def arrive(request: HttpRequest, slug: str) -> HttpResponse:
    """Take in whoever comes by a crowd source's link, and lead them to an address without their ids."""
    if request.headers.get("Sec-Purpose", "").startswith("prefetch"):
        return HttpResponse(status=204)
    try:
        study = select.study_for(slug)
        definition = select.definition(facts.newest_version(study.id))
    except NotFound:
        return notices.unknown_study(request)
    with translation.override(definition.texts.language):
        try:
            source = sources.get(definition.crowd.source)
            arrival = source.parse(request.GET.dict())
            session = sessions.arrive(
                study_id=study.id, arrival=arrival, now=clock.now(), opened_by=_signed_in(request)
            )
        except Invalid as error:
            return notices.bad_link(request, error)
        except Conflict as error:
            return notices.not_now(request, error, study)
    response = redirect_303("raters:rate", slug)
    cookies.put(response, slug=slug, session_id=session.pk)
    return response


def _signed_in(request: HttpRequest) -> int | None:
    """Return the user of this browser; a rater has none, and costs no look at the table of sessions."""
    return request.user.pk if settings.SESSION_COOKIE_NAME in request.COOKIES else None


@require_GET
@rater_page()
def rate(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Lead to where this rater was."""
    return visit.onward()


@require_http_methods(["GET", "POST"])
@rater_page(Step.CONSENT)
def consent(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Show the information sheet and take the decision."""
    if request.method == "GET":
        return visit.page(request, "consent")
    decision, has_ticked = request.POST.get("decision"), "agreed" in request.POST
    if decision not in ("agree", "decline"):
        return visit.page(
            request, "consent", status=422, has_ticked=has_ticked, undecided=_("Choose one of these two buttons.")
        )
    agrees = decision == "agree"
    if agrees and not has_ticked:
        return visit.page(request, "consent", status=422, problem=_("Tick the box if you agree to take part."))
    sessions.consent(session_id=visit.session.pk, agreed=agrees, now=clock.now())
    return redirect_303("raters:rate", visit.slug)


@require_http_methods(["GET", "POST"])
@rater_page(Step.INSTRUCTIONS)
def instructions(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Show what to do; beginning opens the trials."""
    if request.method == "GET":
        return visit.page(request, "instructions")
    sessions.begin(session_id=visit.session.pk, now=clock.now())
    return redirect_303("raters:trial", visit.slug)


@require_GET
@rater_page(Step.RATING)
def trial(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Show the trial page; loading it makes this tab the one that answers count from."""
    try:
        progress = trials.enter(session_id=visit.session.pk, now=clock.now(), rng=rng.fresh())
    except Conflict as error:
        if error.code == "paused":
            return visit.page(request, "paused", status=409)
        return notices.not_now(request, error, visit.study)
    if isinstance(progress, Ended):
        return redirect_303("raters:end", visit.slug)
    name = visit.definition.task_type
    module = f"js/task_types/{name}.js"
    return visit.page(
        request,
        "trial",
        progress=as_json(progress, visit.slug),
        params=visit.definition.params,
        task_template=f"task_types/{name}.html",
        # A task type whose form needs no more than the shared behaviour brings no module of its own.
        task_module=static(module if finders.find(module) else "js/rater/task.js"),
    )


@require_GET
@rater_page(Step.ENDED)
def end(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Thank, and hand out the code of this outcome with the way back."""
    outcome = visit.session.outcome
    crowd = visit.definition.crowd
    code = completion_code(crowd, outcome)
    source = sources.get(visit.session.source) if visit.session.source in sources.found() else None
    way_back = source.leave(crowd, outcome, code) if source else None
    return visit.page(
        request, "end", outcome=outcome, code=code, way_back=way_back, platform=source.label if source else ""
    )


@require_http_methods(["GET", "POST"])
@rater_page(Step.INSTRUCTIONS, Step.RATING)
def leave(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Ask once, then end the session early."""
    if request.method == "GET":
        return visit.page(request, "leave", back=PAGES[Step(visit.session.step)])
    sessions.withdraw(session_id=visit.session.pk, now=clock.now())
    return redirect_303("raters:rate", visit.slug)

"""Views of the rater's pages: consent, instructions, trials, end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from core import clock, rng
from core.errors import Conflict, NotFound
from core.operations import logs
from core.text import languages
from raters import sources
from raters.people import cookies, notices
from raters.people import queries as people_queries
from raters.people.models import OVER, Session, plain_study
from raters.rating import finishing, rights, trials
from raters.rating.progress import NoTrial, as_json
from raters.sessions import consent_facts, endings, lifecycle, preview_bar, slow_line
from raters.sessions.consent_facts import ConsentFacts
from raters.sources.base import RaterArrival, credits_all
from studies import hooks
from studies.definition import facts
from studies.definition.definition import Definition

Outcome, Step = Session.Outcome, Session.Step
PAGES = {
    Step.CONSENT: "raters:consent",
    Step.CHECKS: "raters:check",
    Step.INSTRUCTIONS: "raters:instructions",
    Step.PRACTICE: "raters:check",
    Step.RATING: "raters:trial",
    Step.QUESTIONS: "raters:questionnaire",
    Step.ENDED: "raters:end",
}


@dataclass(frozen=True, slots=True)
class Visit:
    """A rater's request: session, study and definition."""

    slug: str
    session: Session
    definition: Definition
    study: facts.StudyFacts

    @property
    def language(self) -> str:
        return self.session.language or self.definition.texts.language

    @property
    def is_copy(self) -> bool:
        """True in a preview copy of the study, which shows each page as raters get it."""
        return self.study.preview_of is not None

    @property
    def way_out(self) -> str:
        """The page for withdrawing; empty if there is nothing to withdraw."""
        if self.session.step in OVER:
            return "raters:your_data" if self.session.consented_at else ""
        return "" if self.session.step == Step.CONSENT else "raters:leave"

    def study_page(self, request: HttpRequest) -> str:
        """The study's page for the user who started this test run in this browser; empty for everyone else."""
        session = self.session
        if not session.preview or self.is_copy or session.opened_by_id is None:
            return ""
        is_own = session.opened_by_id == request.user.pk
        return reverse(hooks.workspace().overview, args=[self.slug]) if is_own else ""

    def asks_reason(self) -> bool:
        """True if raters write reasons; the pages then tell them which typing counts are recorded."""
        return bool(self.definition.kind.asks_reason(self.definition.params))

    def is_paid(self) -> bool:
        """True if raters are paid, by their platform or by the study."""
        return from_platform(self.session) or bool(facts.payment(self.study.id).rate)

    def pays_screened_out(self) -> bool:
        """True if the study pays raters who are screened out."""
        return bool(facts.payment(self.study.id).screened_out_rate)

    def consent_facts(self) -> ConsentFacts:
        source = sources.all_sources().get(self.session.source)
        platform = ""
        if source is not None and source.codes:
            known = source.payment_platform.name if source.payment_platform else source.place
            platform = str(known) or _("The platform where you found the study")
        wording = self.definition.wording(self.language)
        return consent_facts.consent_facts(self.study.id, self.definition, wording, platform=platform)

    def page(self, request: HttpRequest, name: str, status: int = 200, **context: Any) -> HttpResponse:
        """Render a rater's page with the values all pages need."""
        title = self.definition.title(self.language)
        shared = {
            "study": replace(self.study, title=title) if title else self.study,
            "texts": self.definition.wording(self.language),
            "slug": self.slug,
            "own_language": self.language,
            "is_copy": self.is_copy,
            "is_preview": self.session.preview and not self.is_copy,
            "study_page": self.study_page(request),
            "way_out": self.way_out,
            # Methods, because only some pages call them.
            "asks_reason": self.asks_reason,
            "is_paid": self.is_paid,
            "pays_screened_out": self.pays_screened_out,
        }
        if self.is_copy and not preview_bar.is_framed(request):
            shared["preview_bar"] = preview_bar.render_bar(request, session=self.session, slug=self.slug)
        return render(request, f"raters/{name}.html", {**shared, **context}, status=status)

    def onward(self) -> HttpResponse:
        return onward(self.session, self.slug)


View = Callable[[HttpRequest, Visit], HttpResponse]


def from_platform(session: Session) -> bool:
    """True if this rater came from a crowd platform, which has their submission."""
    source = sources.all_sources().get(session.source)
    return source is not None and source.codes


def redirect_303(name: str, slug: str) -> HttpResponse:
    """Redirect with a GET after any request."""
    response = redirect(name, slug)
    response.status_code = 303
    return response


def onward(session: Session, slug: str) -> HttpResponse:
    """Redirect to the page of a session's current step."""
    return redirect_303(PAGES[Step(session.step)], slug)


def rater_page(*steps: Session.Step) -> Callable[[View], Callable[..., HttpResponseBase]]:
    """Pass a `Visit` to the view, in the session's language; sessions at another step are redirected to their page."""

    def decorate(view: View) -> Callable[..., HttpResponseBase]:
        @never_cache
        @wraps(view)
        def wrapped(request: HttpRequest, slug: str) -> HttpResponse:
            session_id = cookies.read_session(request, slug=slug)
            try:
                study = people_queries.study_for(slug)
                session = people_queries.session(session_id) if session_id is not None else None
            except NotFound:
                return notices.unknown_study(request)
            if session is None:
                return notices.no_session(request, study)
            # A preview needs more than the cookie: the user who started it must be signed in.
            if study.preview_of is not None and session.opened_by_id != request.user.pk:
                return notices.unknown_study(request)
            logs.bind(session=session.pk)
            definition = people_queries.definition(session.version_id)
            visit = Visit(slug, session, definition, study)
            with languages.speaking(visit.language):
                response = view(request, visit) if not steps or session.step in steps else visit.onward()
            return preview_bar.may_be_framed(response) if visit.is_copy else response

        return wrapped

    return decorate


def task_parts(task_type: str) -> dict[str, Any]:
    """Return the template of a task type, and its script: its own or the common one."""
    module = f"js/task_types/{task_type}.js"
    return {
        "task_template": f"task_types/{task_type}.html",
        "task_module": static(module if finders.find(module) else "js/rater/task.js"),
    }


@require_GET
@rater_page()
def rate(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Redirect to the current page."""
    return visit.onward()


@require_http_methods(["GET", "POST"])
@rater_page(Step.CONSENT)
def consent(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Show the information sheet, and record consent or refusal."""
    others = languages.with_names(visit.definition.languages) if visit.definition.translations else []

    def page(**context: Any) -> HttpResponse:
        return visit.page(request, "consent", languages=others, facts=visit.consent_facts(), **context)

    if request.method == "GET":
        return page()
    if "language" in request.POST:
        lifecycle.change_language(session_id=visit.session.pk, language=request.POST["language"])
        return redirect_303("raters:consent", visit.slug)
    decision, has_ticked = request.POST.get("decision"), "agreed" in request.POST
    if decision not in ("agree", "decline"):
        return page(status=422, has_ticked=has_ticked, undecided=_("Choose one of these two buttons."))
    agrees = decision == "agree"
    if agrees and not has_ticked:
        return page(status=422, problem=_("Tick the box if you agree to take part."))
    read_in = request.POST.get("read_in", "")
    session = lifecycle.consent(session_id=visit.session.pk, agreed=agrees, now=clock.now(), read_in=read_in)
    return onward(session, visit.slug)


@require_http_methods(["GET", "POST"])
@rater_page(Step.INSTRUCTIONS)
def instructions(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Show the instructions; POST starts the practice or the trials."""
    if request.method == "GET":
        protocol, screening = visit.definition.protocol, visit.definition.screening
        has_fair = screening.fair_asked(protocol.batches_per_session) > 0
        parts = task_parts(visit.definition.task_type)
        return visit.page(request, "instructions", has_attention_checks=has_fair, **parts)
    return onward(lifecycle.begin(session_id=visit.session.pk, now=clock.now()), visit.slug)


@require_GET
@rater_page(Step.RATING)
def trial(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Show the rating page; loading it makes this tab the one that may send answers."""
    try:
        progress = trials.enter(session_id=visit.session.pk, now=clock.now(), rng=rng.fresh())
    except Conflict as error:
        if error.code == "paused":
            return visit.page(request, "paused", status=409)
        return notices.not_now(request, error, visit.study, from_platform=from_platform(visit.session))
    if isinstance(progress, NoTrial):
        return redirect_303("raters:end", visit.slug)
    return visit.page(
        request,
        "trial",
        progress=as_json(progress, visit.slug),
        params=visit.definition.params_in(visit.language),
        # No volume slider next to the clips: raters are asked to leave the volume as it is.
        show_context=visit.definition.protocol.show_context,
        volume_is_set=visit.definition.screening.volume,
        answering=visit.definition.kind.seconds_a_clip(visit.definition.params),
        **task_parts(visit.definition.task_type),
    )


@require_http_methods(["GET", "POST"])
@rater_page(Step.ENDED)
def end(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Show the outcome, the completion code and the way back; POST asks for a place again."""
    if request.method == "POST":
        return onward(lifecycle.try_again(session_id=visit.session.pk, now=clock.now()), visit.slug)
    session, crowd = visit.session, visit.definition.crowd
    outcome = session.outcome
    source = sources.all_sources().get(session.source)
    # Previews of a live study get no code and no way back.
    is_sent_back = visit.is_copy or not session.preview
    code = crowd.code(outcome) if is_sent_back and source is not None and source.codes else ""
    way_back = None
    payable = finishing.is_payable(Outcome(outcome), visit.study.id) if visit.is_copy else session.payable
    if source is not None and is_sent_back:
        arrival = RaterArrival(session.source, "", plain_study(session.ext_study), session.ext_session)
        if "{person}" in crowd.return_url:
            arrival = replace(arrival, person=people_queries.person(session))
        way_back = source.return_address(crowd, arrival, outcome, payable=payable)
    ending, erasure = endings.words(outcome), rights.erasure(session)
    may_return = lifecycle.may_return(session) and not visit.study.is_closed
    if slow_line.has_left(session):
        ending = endings.slow_line(may_return=may_return)
    elif outcome == Outcome.NO_PLACE:
        ending = endings.no_place(session, clock.now())
    elif outcome == Outcome.BAD_DEVICE:
        ending = endings.bad_device(session)
    if erasure is not None:
        # After an erasure request, no answers are kept for any outcome.
        ending = ending._replace(message=_("Thank you for your time."))
    return visit.page(
        request,
        "end",
        ending=ending,
        erasure=erasure,
        way_out="" if erasure else visit.way_out,
        code=code,
        way_back=way_back,
        hands_in_code=source is None or not (source.leads_back and credits_all(crowd)),
        place=source.place if source else "",
        from_platform=from_platform(session),
        payable=payable,
        is_screened_out=outcome == Outcome.SCREENED_OUT,
        has_no_place=outcome == Outcome.NO_PLACE and not visit.study.is_closed,
        may_return=may_return,
    )

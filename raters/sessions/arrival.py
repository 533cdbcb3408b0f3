"""The study link: identify the visitor, create or find their session, and redirect to an address without ids."""

from __future__ import annotations

from dataclasses import replace

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from core import clock, rng
from core.errors import Conflict, Invalid, NotFound
from core.text import languages
from core.web import limits
from core.web.middleware import framed
from raters import sources
from raters.people import cookies, notices
from raters.people import queries as people_queries
from raters.sessions import lifecycle
from raters.sessions.views import onward
from raters.sources import preview, signatures
from raters.sources.base import ArrivalRequest, EntryPage
from studies.definition.definition import Wording
from studies.definition.facts import StudyFacts


@never_cache
@require_http_methods(["GET", "POST"])
@limits.limited("arrival", "ARRIVAL_RATE")
def arrive(request: HttpRequest, slug: str) -> HttpResponse:
    """Handle a visit by a crowd source's link; following a link twice creates nothing twice."""
    if request.headers.get("Sec-Purpose", "").startswith("prefetch"):
        return HttpResponse()
    try:
        study = people_queries.study_for(slug)
        if study.preview_of is not None:
            # Previews are started on the researcher's page, not by a link.
            return notices.unknown_study(request)
        definition = people_queries.definition(study.newest_version)
        source = sources.get(
            preview.PreviewSource.name if preview.PARAMETER in request.GET else definition.crowd.source
        )
    except NotFound:
        return notices.unknown_study(request)
    now = clock.now()
    knock = ArrivalRequest(
        study_id=study.id,
        slug=slug,
        crowd=definition.crowd,
        params=request.GET.dict(),
        now=now,
        base_url=settings.BASE_URL,
        browser=cookies.read_browser(request, slug=slug) if source.by_browser else "",
        fresh=rng.token(),
        key=lambda name: signatures.key(name, url=source.keys_url, now=now),
    )
    language = languages.chosen(request, definition.languages)
    with languages.speaking(language):
        try:
            door = source.entry_page(knock)
            if request.method == "POST" and not (door and door.opens):
                return HttpResponseNotAllowed(["GET"])
            if door and request.method == "GET":
                study_in_language = replace(study, title=definition.title(language) or study.title)
                return _show(request, door, study_in_language, definition.wording(language), from_platform=source.codes)
            arrival = source.parse(knock)
            session = lifecycle.arrive(
                study_id=study.id,
                arrival=arrival,
                now=now,
                opened_by=_signed_in(request),
                language=language,
                # Over HTTPS, the browser sends the cookie to this address. With an open link, several people may share
                # a browser.
                browser_session=None if source.by_browser else cookies.read_session(request, slug=slug),
            )
        except Invalid as error:
            return notices.bad_link(request, error, slug, str(source.advice))
        except Conflict as error:
            return notices.not_now(request, error, study, from_platform=source.codes)
    response = onward(session, slug)
    cookies.put_session(response, slug=slug, session_id=session.pk)
    if source.by_browser:
        cookies.put_browser(response, slug=slug, name=arrival.session)
    return response


def _show(
    request: HttpRequest, door: EntryPage, study: StudyFacts, texts: Wording, *, from_platform: bool
) -> HttpResponse:
    if not study.is_live:
        closed = Conflict("This study is not open at the moment.", code="not_open")
        return notices.not_now(request, closed, study, from_platform=from_platform)
    shared = {"study": study, "slug": study.slug, "texts": texts}
    response = render(request, door.template, {**shared, **door.context})
    return framed(response, door.hosts) if door.hosts else response


def _signed_in(request: HttpRequest) -> int | None:
    """Return the signed-in user, if any. Raters have none; without a cookie, no query is needed."""
    return request.user.pk if settings.SESSION_COOKIE_NAME in request.COOKIES else None

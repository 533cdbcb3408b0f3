"""The bar above the rater's pages in a preview."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from core.text import languages
from core.web.middleware import framed
from raters.people.models import Session
from studies.definition import facts


def render_bar(request: HttpRequest, *, session: Session, slug: str, is_phone: bool = False) -> SafeString:
    """Render the bar in the language of the researcher's browser."""
    definition = facts.frozen(session.version_id).definition
    with languages.speaking(languages.of_browser(request)):
        context = {
            "slug": slug,
            "step": session.step,
            "is_phone": is_phone,
            "bar_language": get_language(),
            "session_language": session.language,
            "languages": languages.with_names(definition.languages) if definition.translations else [],
        }
        return render_to_string("raters/previews/bar.html", context, request)


def is_framed(request: HttpRequest) -> bool:
    """True if the page is shown in the phone frame, which has its own bar."""
    return request.headers.get("Sec-Fetch-Dest") == "iframe"


def may_be_framed(response: HttpResponse) -> HttpResponse:
    """Allow framing by this server's own pages."""
    return framed(response, ("'self'",))

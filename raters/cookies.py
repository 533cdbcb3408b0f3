"""The signed cookie that a rater carries: it names a session of one study, and nothing that is asked in it."""

from __future__ import annotations

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse

NAME = "earshot_rater"
# Long enough for a session with breaks; the platform's link opens the session again afterwards.
MAX_AGE = 7 * 24 * 3600


def put(response: HttpResponseBase, *, slug: str, session_id: int) -> None:
    """Let this browser go on with a session; the cookie is sent to the study's rater pages alone."""
    response.set_cookie(
        NAME,
        signing.dumps(session_id, salt=_salt(slug)),
        max_age=MAX_AGE,
        path=reverse("raters:rate", args=[slug]),
        secure=settings.HTTPS,
        httponly=True,
        samesite="Lax",
    )


def read(request: HttpRequest, *, slug: str) -> int | None:
    """Return the session that the request carries; None without a cookie of ours for this study."""
    try:
        return int(signing.loads(request.COOKIES.get(NAME, ""), salt=_salt(slug), max_age=MAX_AGE))
    except signing.BadSignature:
        return None


def _salt(slug: str) -> str:
    return f"raters.session.{slug}"

"""The signed cookie that a rater carries: it names a session of one study, and nothing that is asked in it."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse

NAME = "earshot_rater"
# Long enough for a session with breaks; the platform's link opens the session again afterwards.
MAX_AGE = 7 * 24 * 3600
BROWSER = "earshot_browser"
BROWSER_MAX_AGE = 365 * 24 * 3600
# Ours are less than half as long; longer ones would fill the memory of those that were verified.
LONGEST = 300
SALTS = {NAME: "raters.session", BROWSER: "raters.browser"}


def put_session(response: HttpResponseBase, *, slug: str, session_id: int) -> None:
    """Let this browser continue a session; the cookie is limited to the study's rater pages where possible."""
    _put(response, NAME, slug, session_id, reverse("raters:rate", args=[slug]), MAX_AGE)


def read_session(request: HttpRequest, *, slug: str) -> int | None:
    """Return the session that the request carries; None without a cookie of ours for this study."""
    value = _read(request, NAME, slug, MAX_AGE)
    return int(value) if isinstance(value, int | str) and str(value).isdigit() else None


def drop_session(response: HttpResponseBase, *, slug: str) -> None:
    """Let this browser forget its session of a study."""
    path = "/" if settings.HTTPS else reverse("raters:rate", args=[slug])
    response.delete_cookie(_name(NAME, slug), path=path, samesite="Lax")


def put_browser(response: HttpResponseBase, *, slug: str, name: str) -> None:
    """Let this browser be known again by a name that means nothing, at the study's own link."""
    _put(response, BROWSER, slug, name, reverse("raters:arrive", args=[slug]), BROWSER_MAX_AGE)


def read_browser(request: HttpRequest, *, slug: str) -> str:
    """Return the name of the browser; empty when it hasn't come before."""
    return str(_read(request, BROWSER, slug, BROWSER_MAX_AGE) or "")


def _put(response: HttpResponseBase, name: str, slug: str, value: int | str, path: str, max_age: int) -> None:
    response.set_cookie(
        _name(name, slug),
        signing.dumps(value, salt=_salt(name, slug)),
        max_age=max_age,
        # A browser takes a __Host- cookie from this host over HTTPS alone, and for the whole of it.
        path="/" if settings.HTTPS else path,
        secure=settings.HTTPS,
        httponly=True,
        samesite="Lax",
    )


def _read(request: HttpRequest, name: str, slug: str, max_age: int) -> Any:
    cookie = request.COOKIES.get(_name(name, slug), "")
    if len(cookie) > LONGEST:
        return None
    return _signed(cookie, settings.SECRET_KEY, _salt(name, slug), max_age, int(time.time() / 60))


@lru_cache(maxsize=10_000)
def _signed(cookie: str, key: str, salt: str, max_age: int, minute: int) -> Any:
    """Return what a cookie says, or None if it isn't ours or is too old; computed once a minute for each cookie."""
    try:
        return signing.loads(cookie, key=key, salt=salt, max_age=max_age)
    except signing.BadSignature:
        return None


def _name(name: str, slug: str) -> str:
    return f"__Host-{name}-{slug}" if settings.HTTPS else name


def _salt(name: str, slug: str) -> str:
    return f"{SALTS[name]}.{slug}"

"""The rater's signed cookie. It contains only the session's key, and is limited to one study."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse

NAME = "earshot_rater"
# Long enough for a session with breaks; later, the platform's link opens the session again.
MAX_AGE = 7 * 24 * 3600
BROWSER = "earshot_browser"
BROWSER_MAX_AGE = 365 * 24 * 3600
# Ours are less than half as long. The limit keeps long fakes out of the cache of `_signed`.
LONGEST = 300
SALTS = {NAME: "raters.session", BROWSER: "raters.browser"}


def put_session(response: HttpResponseBase, *, slug: str, session_id: int) -> None:
    """Set the cookie that lets this browser continue a session."""
    _put(response, NAME, slug, session_id, reverse("raters:rate", args=[slug]), MAX_AGE)


def read_session(request: HttpRequest, *, slug: str) -> int | None:
    """Return the session in the request's cookie; None without a valid cookie for this study."""
    value = _read(request, NAME, slug, MAX_AGE)
    return int(value) if isinstance(value, int | str) and str(value).isdigit() else None


def drop_session(response: HttpResponseBase, *, slug: str) -> None:
    """Delete the session cookie of a study."""
    path = "/" if settings.HTTPS else reverse("raters:rate", args=[slug])
    response.delete_cookie(_name(NAME, slug), path=path, samesite="Lax")


def put_browser(response: HttpResponseBase, *, slug: str, name: str) -> None:
    """Set a random name by which the study's open link recognizes this browser."""
    _put(response, BROWSER, slug, name, reverse("raters:arrive", args=[slug]), BROWSER_MAX_AGE)


def read_browser(request: HttpRequest, *, slug: str) -> str:
    """Return the browser's name; empty on its first visit."""
    return str(_read(request, BROWSER, slug, BROWSER_MAX_AGE) or "")


def _put(response: HttpResponseBase, name: str, slug: str, value: int | str, path: str, max_age: int) -> None:
    response.set_cookie(
        _name(name, slug),
        signing.dumps(value, salt=_salt(name, slug)),
        max_age=max_age,
        # Browsers accept a __Host- cookie only over HTTPS and with this path.
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
    """Return a cookie's value, None if it is invalid or too old. Verified at most once a minute per cookie."""
    try:
        return signing.loads(cookie, key=key, salt=salt, max_age=max_age)
    except signing.BadSignature:
        return None


def _name(name: str, slug: str) -> str:
    return f"__Host-{name}-{slug}" if settings.HTTPS else name


def _salt(name: str, slug: str) -> str:
    return f"{SALTS[name]}.{slug}"

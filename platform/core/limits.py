"""How often somebody may ask within a minute.

Counts are in memory or in the cache, for two minutes at most, under names made with a key that changes every minute:
an address is kept nowhere, and its count can't be joined with anything. Each web process counts for itself.
"""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable, Hashable
from functools import wraps
from ipaddress import ip_address, ip_network
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _

from core import languages
from core.errors import DomainError

MINUTE = 60
# People share an address, in a laboratory above all; one account is one person's.
PEOPLE_AT_ONE_ADDRESS = 5

View = Callable[..., HttpResponseBase]


class TooMany(DomainError):
    """More was asked within a minute than anybody needs; wait `retry_after` seconds."""

    status = 429
    code = "too_many"

    def __init__(self, retry_after: float) -> None:
        self.retry_after = retry_after
        super().__init__(_("Too much was asked at once. Wait a minute, then try again."))


def address(request: HttpRequest) -> str:
    """Return where a request comes from: what the proxy in front saw, where there is one.

    Of version 6 its network of 64 bits, in which one household has all addresses.
    """
    seen = str(request.META.get("REMOTE_ADDR", ""))
    if settings.BEHIND_PROXY:
        # The last one is what our own proxy wrote; those before it are anybody's word.
        seen = request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip() or seen
    try:
        found = ip_address(seen)
    except ValueError:
        return seen
    return str(ip_network((found, 64), strict=False)) if found.version == 6 else str(found)


def spend(what: str, who: str, most: int) -> None:
    """Count one request of `who`; raises `TooMany` beyond `most` within the minute. Nothing is counted for 0."""
    if not most:
        return
    minute, left = _clock()
    key = hmac.digest(f"{settings.SECRET_KEY}{minute}".encode(), f"{what} {who}".encode(), "sha256").hex()[:32]
    if cache.add(f"limit-{key}", 1, timeout=2 * MINUTE):
        return
    try:
        count = cache.incr(f"limit-{key}")
    except ValueError:
        # It was thrown out of a full cache just now.
        return
    if count > most:
        raise TooMany(left)


class Meter:
    """Counts for what is asked most, in this process's memory alone: no cache, no query."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.minute = 0
        self.counts: dict[Hashable, int] = {}

    def spend(self, who: Hashable) -> None:
        """Count one request; raises `TooMany` beyond the most within the minute."""
        minute, left = _clock()
        if minute != self.minute:
            self.minute, self.counts = minute, {}
        count = self.counts[who] = self.counts.get(who, 0) + 1
        if count > self.most:
            raise TooMany(left)


def _clock() -> tuple[int, float]:
    """Return the number of this minute, and the seconds that are left of it."""
    minute, gone = divmod(time.time(), MINUTE)
    return int(minute), max(1.0, MINUTE - gone)


def limited(what: str, setting: str, times: int = 1) -> Callable[[View], View]:
    """Let an address open a page only as often as a setting says (`times` that), and answer plainly beyond it."""

    def decorate(view: View) -> View:
        @wraps(view)
        def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            try:
                spend(what, address(request), times * getattr(settings, setting))
            except TooMany as error:
                return refusal(request, error)
            return view(request, *args, **kwargs)

        return wrapped

    return decorate


def sign_in(view: View) -> View:
    """Let a name be tried at one address only as often as a setting says; and some times as often, all names there."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.method == "POST":
            here, most = address(request), settings.SIGN_IN_RATE
            try:
                spend("sign in", here, most * PEOPLE_AT_ONE_ADDRESS)
                spend("sign in as", f"{here} {request.POST.get('username', '').casefold()}", most)
            except TooMany as error:
                return refusal(request, error)
        return view(request, *args, **kwargs)

    return wrapped


def refusal(request: HttpRequest, error: TooMany) -> HttpResponseBase:
    """Say on a plain page that this was too often, and when to come back."""
    with languages.speaking(languages.of_browser(request)):
        said = {
            "title": _("Please wait a minute"),
            "message": _("This page was opened too often at once from where you are. Wait a minute, then try again."),
        }
        response = render(request, "core/problem.html", said, status=error.status)
    response.headers["Retry-After"] = str(round(error.retry_after + 0.5))
    response.headers["Cache-Control"] = "no-store"
    return response

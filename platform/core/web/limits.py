"""Limit requests per minute, and delay sign-ins after wrong passwords.

All web processes count together, in the database. Counts of a minute are kept for two, under keys that change every
minute; those of wrong passwords for a day after the last one. Keys are made with the secret key: no address and no name
is kept.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Hashable
from datetime import datetime, timedelta
from functools import wraps
from ipaddress import ip_address, ip_network
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core import clock
from core.errors import DomainError
from core.models import Count
from core.text import languages

MINUTE = 60
# After the free tries, each wrong password doubles the wait, from a minute up to this.
LONGEST_WAIT = timedelta(hours=1)
FORGOTTEN = timedelta(days=1)
# Several people share an address, above all in a laboratory; an account belongs to one person.
PEOPLE_AT_ONE_ADDRESS = 5

View = Callable[..., HttpResponseBase]


class TooMany(DomainError):
    """Too many requests within a minute; wait `retry_after` seconds."""

    status = 429
    code = "too_many"

    def __init__(self, retry_after: float) -> None:
        self.retry_after = retry_after
        super().__init__(_("Too many requests. Wait a minute, then try again."))


class TooManyTries(TooMany):
    """Too many wrong passwords for one name."""


def address(request: HttpRequest) -> str:
    """Return the address of a client, as our own proxy saw it if there is one.

    Of version 6 its network of 64 bits, in which one household has all addresses.
    """
    seen = str(request.META.get("REMOTE_ADDR", ""))
    if settings.BEHIND_PROXY:
        # Our own proxy wrote the last one; clients can forge those before it.
        seen = request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip() or seen
    try:
        ip = ip_address(seen)
    except ValueError:
        return seen
    return str(ip_network((ip, 64), strict=False)) if ip.version == 6 else str(ip)


def spend(what: str, who: str, most: int) -> None:
    """Count one request of `who`; raises `TooMany` beyond `most` within the minute. Nothing is counted for 0."""
    if not most:
        return
    minute, left = _clock()
    row = Count.objects.filter(key=_key(f"{minute}", what, who))
    if not row.update(number=F("number") + 1):
        expires_at = clock.now() + timedelta(seconds=2 * MINUTE)
        Count.objects.bulk_create(
            [Count(key=_key(f"{minute}", what, who), expires_at=expires_at)], ignore_conflicts=True
        )
        row.update(number=F("number") + 1)
    if row.values_list("number", flat=True)[0] > most:
        raise TooMany(left)


def spend_try(who: str, most: int, now: datetime) -> None:
    """Count one password of `who`; raises `TooManyTries` while the name waits. The `most`-th starts the first wait.

    Called before the password is checked, so that parallel tries can't all be the first.
    """
    if not most:
        return
    key = _key("tries", who)
    with transaction.atomic():
        Count.objects.bulk_create([Count(key=key, expires_at=now + FORGOTTEN)], ignore_conflicts=True)
        row = Count.objects.select_for_update().get(key=key)
        if row.refused_until is not None and now < row.refused_until:
            raise TooManyTries((row.refused_until - now).total_seconds())
        row.number = row.number + 1 if now < row.expires_at else 1
        if row.number >= most:
            doubled = min(row.number - most, LONGEST_WAIT.seconds.bit_length())
            row.refused_until = now + min(timedelta(seconds=MINUTE << doubled), LONGEST_WAIT)
        row.expires_at = now + FORGOTTEN
        row.save()


def forget_tries(who: str) -> None:
    """Reset the count of wrong passwords after a successful sign-in."""
    Count.objects.filter(key=_key("tries", who)).delete()


def forget_expired(now: datetime) -> None:
    """Delete expired counts; the sweep calls it."""
    Count.objects.filter(expires_at__lt=now).delete()


def _key(*parts: str) -> str:
    return hmac.digest(settings.SECRET_KEY.encode(), " ".join(parts).encode(), "sha256").hex()[:32]


class Meter:
    """Counts of the most frequent requests, in this process's memory: a query would cost as much as the request.

    It stops a page that asks without end; a browser's requests mostly come by one connection, so to one process.
    """

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
    """Return the number of the current minute, and the seconds that are left of it."""
    minute, seconds = divmod(clock.now().timestamp(), MINUTE)
    return int(minute), max(1.0, MINUTE - seconds)


def limited(what: str, setting: str, times: int = 1) -> Callable[[View], View]:
    """Limit how often one address may open a page: `times` a setting; answer with a plain page beyond it."""

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
    """Limit wrong passwords for a name from one address: a few free tries, then longer and longer waits."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.method != "POST":
            return view(request, *args, **kwargs)
        here, most = address(request), settings.SIGN_IN_RATE
        who = f"{here} {request.POST.get('username', '').casefold()}"
        try:
            spend("sign in", here, most * PEOPLE_AT_ONE_ADDRESS)
            spend_try(who, most, clock.now())
        except TooMany as error:
            return refusal(request, error)
        response = view(request, *args, **kwargs)
        if most and response.status_code == 302 and request.user.is_authenticated:
            forget_tries(who)
        return response

    return wrapped


def refusal(request: HttpRequest, error: TooMany) -> HttpResponseBase:
    """Return a plain page that explains the limit and says when to try again."""
    with languages.speaking(languages.of_browser(request)):
        context = {
            "title": _("Please wait a minute"),
            "message": _("This page was opened too often from your network. Wait a minute, then try again."),
        }
        if isinstance(error, TooManyTries):
            minutes = -int(-error.retry_after // MINUTE)
            context["title"] = _("Please wait")
            context["message"] = ngettext(
                "There were too many wrong passwords for this name. Try again in {minutes} minute.",
                "There were too many wrong passwords for this name. Try again in {minutes} minutes.",
                minutes,
            ).format(minutes=minutes)
        response = render(request, "core/problem.html", context, status=error.status)
    response.headers["Retry-After"] = str(round(error.retry_after + 0.5))
    response.headers["Cache-Control"] = "no-store"
    return response

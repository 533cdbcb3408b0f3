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
# Wrong passwords of one address for all names together, as a multiple of those for one name: who tries one password
# for many names comes to it, a laboratory whose people mistype now and then does not.
NAMES_AT_ONE_ADDRESS = 2

View = Callable[..., HttpResponseBase]


class TooMany(DomainError):
    """Too many requests within a minute; wait `retry_after` seconds."""

    status = 429
    code = "too_many"

    def __init__(self, retry_after: float) -> None:
        self.retry_after = retry_after
        super().__init__(_("Too many requests. Wait a minute, then try again."))


class TooManyTries(TooMany):
    """Too many wrong passwords for one name at one address, or for all names there."""

    def __init__(self, retry_after: float, *, is_of_name: bool) -> None:
        self.is_of_name = is_of_name
        super().__init__(retry_after)

    def sentence(self, minutes: int) -> str:
        """Return what happened, and when to try again."""
        of_name = ngettext(
            "There were too many wrong passwords for this name. Try again in {minutes} minute.",
            "There were too many wrong passwords for this name. Try again in {minutes} minutes.",
            minutes,
        )
        of_network = ngettext(
            "There were too many wrong passwords from your network. Try again in {minutes} minute.",
            "There were too many wrong passwords from your network. Try again in {minutes} minutes.",
            minutes,
        )
        return (of_name if self.is_of_name else of_network).format(minutes=minutes)


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


def spend_try(here: str, name: str, most: int, now: datetime) -> datetime | None:
    """Count one password for a name at an address, and for all names there.

    Raises `TooManyTries` while either waits; the `most`-th starts the first wait. Returns until when the address waits
    after this one. Called before the password is checked, so that parallel tries can't all be the first.
    """
    if not most:
        return None
    of_name, of_address = _tries(here, name), _tries(here)
    with transaction.atomic():
        new = [Count(key=key, expires_at=now + FORGOTTEN) for key in sorted({of_name, of_address})]
        Count.objects.bulk_create(new, ignore_conflicts=True)
        rows = {
            row.key: row
            for row in Count.objects.select_for_update().filter(key__in=[of_name, of_address]).order_by("key")
        }
        for key in (of_name, of_address):
            until = rows[key].refused_until
            if until is not None and now < until:
                raise TooManyTries((until - now).total_seconds(), is_of_name=key == of_name)
        _count_try(rows[of_name], most, now)
        # Mistakes of several people are forgotten a day after the first, or they would add up for ever.
        _count_try(rows[of_address], most * NAMES_AT_ONE_ADDRESS, now, is_renewed=False)
    return rows[of_address].refused_until


def _count_try(row: Count, most: int, now: datetime, *, is_renewed: bool = True) -> None:
    row.number = row.number + 1 if now < row.expires_at else 1
    row.refused_until = None
    if row.number >= most:
        doubled = min(row.number - most, LONGEST_WAIT.seconds.bit_length())
        row.refused_until = now + min(timedelta(seconds=MINUTE << doubled), LONGEST_WAIT)
    if is_renewed or row.number == 1:
        row.expires_at = now + FORGOTTEN
    row.save()


def forget_tries(here: str, name: str) -> None:
    """Reset the count of wrong passwords for a name at an address after a successful sign-in."""
    Count.objects.filter(key=_tries(here, name)).delete()


def return_try(here: str, started: datetime | None) -> None:
    """Take back one password from an address's count, with the wait that it started: it was right."""
    rows = Count.objects.filter(key=_tries(here))
    rows.filter(number__gt=0).update(number=F("number") - 1)
    if started is not None:
        rows.filter(refused_until=started).update(refused_until=None)


def _tries(here: str, name: str | None = None) -> str:
    return _key("tries", here) if name is None else _key("tries", f"{here} {name}")


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
    """Limit wrong passwords from one address, for a name and for all: some free tries, then longer and longer waits."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.method != "POST":
            return view(request, *args, **kwargs)
        here, most = address(request), settings.SIGN_IN_RATE
        name, now = request.POST.get("username", "").casefold(), clock.now()
        try:
            spend("sign in", here, most * PEOPLE_AT_ONE_ADDRESS)
            started = spend_try(here, name, most, now)
        except TooMany as error:
            return refusal(request, error)
        response = view(request, *args, **kwargs)
        if most and response.status_code == 302 and request.user.is_authenticated:
            forget_tries(here, name)
            return_try(here, started)
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
            context["message"] = error.sentence(minutes)
        response = render(request, "core/problem.html", context, status=error.status)
    response.headers["Retry-After"] = str(round(error.retry_after + 0.5))
    response.headers["Cache-Control"] = "no-store"
    return response

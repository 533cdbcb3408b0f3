"""Try again while another process writes to SQLite, or once PostgreSQL has dropped a connection; after random pauses.

A statement waits for the other writer as long as the busy timeout (config.settings); only then does it raise. What a
view or a service did by then is rolled back with its transaction, so that it can be done again from the start. Where
the connection was lost, nobody knows whether a change was committed, so only reads are tried again.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, TypeVar

from django.db import Error, InterfaceError, OperationalError, connection, transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _

from core.errors import StoreAway
from core.text import languages
from core.web import refusals

logger = logging.getLogger(__name__)
T = TypeVar("T")
# Tries of a page, whose reader waits, and of a job, which would lose minutes of decoding.
PAGE_TRIES, JOB_TRIES = 2, 8
# How long to wait for what a page can leave out.
MOMENT = timedelta(milliseconds=200)
SHORTEST_PAUSE, LONGEST_PAUSE = 0.05, 0.5
RELOAD_SECONDS = 3
# What PostgreSQL calls a connection that failed, or that it ended; libpq's own errors have no such code.
LOST = ("08", "57P")


def is_busy(error: BaseException | None) -> bool:
    """Return whether a statement failed because others wrote for too long."""
    return isinstance(error, OperationalError) and "locked" in str(error) and connection.vendor == "sqlite"


def is_lost(error: BaseException | None) -> bool:
    """Return whether PostgreSQL has dropped this thread's connection, or could not be reached."""
    if not isinstance(error, Error) or connection.vendor != "postgresql":
        return False
    # Django has opened another connection by now if the first was lost in a transaction.
    if isinstance(error, OperationalError | InterfaceError):
        state = getattr(error.__cause__, "sqlstate", "")
        return state is None or state.startswith(LOST)
    # What follows on a lost connection, such as a statement in its broken transaction, has other classes.
    return connection.connection is None or connection.connection.closed


def is_passing(error: BaseException | None) -> bool:
    """Return whether the same statements may succeed a moment later."""
    return is_busy(error) or is_lost(error)


def patiently(
    action: Callable[[], T],
    *,
    tries: int = JOB_TRIES,
    may_repeat: Callable[[OperationalError], bool] = is_busy,
    sleep: Callable[[float], None] = time.sleep,
) -> T:
    """Return what `action` returns, trying again while others write; outside a transaction only."""
    for attempt in range(1, tries + 1):
        try:
            return action()
        except OperationalError as error:
            if attempt == tries or connection.in_atomic_block or not may_repeat(error):
                raise
            logger.warning("Try %s of %s failed: %s", attempt, tries, error)
            if is_lost(error):
                connection.close()
            # Random, so that no two waiters try again at the same moment.
            sleep(random.uniform(SHORTEST_PAUSE, LONGEST_PAUSE))  # noqa: S311  (spreads, protects nothing)
    raise AssertionError


def if_free(action: Callable[[], T]) -> T | None:
    """Return what `action` returns, or None while others write: for what a page can leave out.

    Don't write anything like this that must not be lost, such as a log of who saw what.
    """
    try:
        with _waiting_a_moment(), transaction.atomic():
            return action()
    except OperationalError as error:
        if not is_busy(error):
            raise
        logger.info("Others are writing; this was left out: %s", error)
        return None


@contextmanager
def _waiting_a_moment() -> Iterator[None]:
    """Shorten the time that statements wait; on PostgreSQL, they don't wait for other writers."""
    if connection.vendor != "sqlite":
        yield
        return
    with connection.cursor() as cursor:
        before = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
        cursor.execute(f"PRAGMA busy_timeout={min(before, MOMENT // timedelta(milliseconds=1))}")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA busy_timeout={before}")


class Patient:
    """Try a page again when the database is busy or was away; if that fails, show one that reloads automatically."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponseBase], args: Any, kwargs: Any
    ) -> HttpResponseBase:
        # Last in MIDDLEWARE: every other one has processed the request by now.
        return answered(request, lambda: view(request, *args, **kwargs))


def answered(request: HttpRequest, view: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    """Return what a view returns, or 503 if the database stays busy or away, or the file store doesn't answer."""
    try:
        return patiently(view, tries=PAGE_TRIES, may_repeat=lambda error: is_repeatable(request, error))
    except Error as error:
        if not is_passing(error):
            raise
        logger.error("The database did not answer: %s", error)
        return response(request)
    except StoreAway as error:
        logger.error("The file store did not answer: %s", error)
        return response(request)


def is_repeatable(request: HttpRequest, error: OperationalError) -> bool:
    """Return whether a view can be run again: an upload that was read as a stream is gone."""
    if request.method in {"GET", "HEAD"}:
        return is_passing(error)
    return is_busy(error) and hasattr(request, "_body")


@languages.by_browser
def response(request: HttpRequest) -> HttpResponse:
    """Return 503 in the requested format: JSON, or a page that reloads automatically where that is safe."""
    message = _("The server is busy right now. Everything you saved is kept.")
    answer: HttpResponse | None = refusals.in_json(request, status=503, code="busy", message=message)
    if answer is None:
        context = {"message": message, "seconds": RELOAD_SECONDS, "reloads": request.method in {"GET", "HEAD"}}
        answer = render(request, "core/busy.html", context, status=503)
    answer.headers["Retry-After"] = str(RELOAD_SECONDS)
    return answer

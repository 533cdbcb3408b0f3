"""Whether each part that Earshot needs takes something and gives it back."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.files.storage import default_storage
from kombu import Connection

from core import clock, storage

logger = logging.getLogger(__name__)
# Anybody may ask, so the parts are asked no more often than this by one process.
SECONDS = 5.0
ROW = "earshot-health"

_lock = threading.Lock()
_last: tuple[float, dict[str, bool]] = (float("-inf"), {})


def parts() -> dict[str, bool]:
    """Return, for each part by name, whether it works; an answer is kept for five seconds."""
    global _last
    with _lock:
        if time.monotonic() - _last[0] > SECONDS:
            _last = (time.monotonic(), {name: works(name, check) for name, check in checks().items()})
        return _last[1]


def checks() -> dict[str, Callable[[], None]]:
    """Return what to do with each part; each raises when the part fails."""
    found = {"database": database, "files": files}
    return {**found, "broker": broker} if settings.CELERY_BROKER_URL else found


def works(name: str, check: Callable[[], None]) -> bool:
    """Say whether a check passes; what is wrong goes to the log, where addresses may be read."""
    try:
        check()
    except Exception as error:
        logger.error("The %s does not work: %s: %s", name, type(error).__name__, error)
        return False
    return True


def database() -> None:
    """Commit a row and read it."""
    mark = secrets.token_hex(8)
    Session.objects.update_or_create(
        pk=ROW, defaults={"session_data": mark, "expire_date": clock.now() + timedelta(days=1)}
    )
    expect(mark, Session.objects.get(pk=ROW).session_data)


def files() -> None:
    """Store a file, read it and delete it."""
    mark = secrets.token_bytes(8)
    name = storage.put("health", mark)
    try:
        with default_storage.open(name, "rb") as file:
            expect(mark, file.read())
    finally:
        storage.discard(name)


def broker() -> None:
    """Set a key and get it."""
    mark = secrets.token_hex(8).encode()
    options = {**settings.CELERY_BROKER_TRANSPORT_OPTIONS, "socket_timeout": 2}
    with Connection(settings.CELERY_BROKER_URL, transport_options=options) as connection:
        client: Any = connection.default_channel.client  # type: ignore[attr-defined]
        client.set(ROW, mark, ex=60)
        expect(mark, client.get(ROW))


def expect(put: object, got: object) -> None:
    """Raise when a part gave back something else than it took."""
    if put != got:
        raise ValueError("what was written was not what was read")

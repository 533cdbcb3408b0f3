"""Check that each part that Earshot needs stores something and returns it."""

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
from django.db import connection, transaction
from kombu import Connection

from core import clock
from core.files import storage
from core.models import Sweep

logger = logging.getLogger(__name__)
# Seconds between two checks, for the answer of a part, and from the last request to the end of checking.
EVERY, LIMIT, IDLE = 5.0, 2.0, 60.0
ROW = "earshot-health"
# Sweeps come every few seconds; a worker or beat that is silent for so long is dead or hangs.
SILENT, STARTED = timedelta(minutes=2), time.monotonic()


class Watch:
    """Checks the parts in the background and remembers the results, so that no request waits for them."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.readings: dict[str, bool] = {}
        self.thread: threading.Thread | None = None
        self.asked_at = 0.0
        # The running check of each part.
        self.waiting: dict[str, threading.Thread] = {}

    def parts(self) -> dict[str, bool]:
        """Return by name whether each part worked some seconds ago; the first call waits for the check."""
        with self.changed:
            self.asked_at = time.monotonic()
            if self.thread is None:
                self.thread = threading.Thread(target=self._run, name="health", daemon=True)
                self.thread.start()
            self.changed.wait_for(lambda: self.readings, 2 * LIMIT)
            return self.readings or dict.fromkeys(checks(), False)

    def stop(self) -> None:
        """Stop checking."""
        with self.changed:
            self.asked_at = float("-inf")
            self.changed.notify_all()
            thread = self.thread
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        while True:
            readings = self._read()
            with self.changed:
                self.readings = readings
                self.changed.notify_all()
                self.changed.wait_for(lambda: self.asked_at == float("-inf"), EVERY)
                if time.monotonic() - self.asked_at > IDLE:
                    self.thread, self.readings = None, {}
                    return

    def _read(self) -> dict[str, bool]:
        """Check all parts in parallel; one that exceeds the limit fails, and isn't checked again meanwhile."""
        answers: dict[str, bool] = {}
        for name, check in checks().items():
            if name not in self.waiting or not self.waiting[name].is_alive():
                self.waiting[name] = threading.Thread(target=_answer, args=(answers, name, check), daemon=True)
                self.waiting[name].start()
        end = time.monotonic() + LIMIT
        for name, thread in self.waiting.items():
            thread.join(max(0.0, end - time.monotonic()))
            if thread.is_alive():
                logger.error("The %s did not answer within %.0f s.", name, LIMIT)
        return {name: answers.get(name, False) for name in self.waiting}


def _answer(answers: dict[str, bool], name: str, check: Callable[[], None]) -> None:
    try:
        answers[name] = works(name, check)
    finally:
        # This thread's own connection: nobody else would close it.
        connection.close()


WATCH = Watch()


def parts() -> dict[str, bool]:
    """Return by name whether each part works, from the background checks."""
    return WATCH.parts()


def checks() -> dict[str, Callable[[], None]]:
    """Return the check of each part; it raises when the part fails."""
    result = {"database": database, "files": files}
    return {**result, "broker": broker, "worker": worker} if settings.CELERY_BROKER_URL else result


def works(name: str, check: Callable[[], None]) -> bool:
    """Return whether a check passes; the error goes to the log, where addresses may be read."""
    try:
        check()
    except Exception as error:
        logger.error("The %s does not work: %s: %s", name, type(error).__name__, error)
        return False
    return True


def database() -> None:
    """Write a row, read it and commit; other processes, which write the same row, wait meanwhile."""
    mark = secrets.token_hex(8)
    with transaction.atomic():
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
    """Set a key of this check's own and get it."""
    mark = secrets.token_hex(8)
    options = {**settings.CELERY_BROKER_TRANSPORT_OPTIONS, "socket_timeout": 2}
    with Connection(settings.CELERY_BROKER_URL, transport_options=options) as broker_connection:
        client: Any = broker_connection.default_channel.client  # type: ignore[attr-defined]
        client.set(f"{ROW}:{mark}", mark, ex=60)
        expect(mark.encode(), client.get(f"{ROW}:{mark}"))


def silence() -> timedelta | None:
    """Return for how long no worker has ended a sweep; None if none ever has."""
    swept = Sweep.objects.filter(pk=1).first()
    return None if swept is None else clock.now() - swept.at


def is_worker_silent() -> bool:
    """Return whether no worker has swept for long: the workers or beat are stopped or hang.

    Where none has ever swept, this process must be as old, and have a broker.
    """
    quiet = silence()
    if quiet is None:
        return bool(settings.CELERY_BROKER_URL) and _age() > SILENT
    return quiet > SILENT


def worker() -> None:
    """Raise if no worker has swept for long. A new process waits as long, since workers start with it."""
    if _age() > SILENT and is_worker_silent():
        raise TimeoutError("no worker has looked for work")


def _age() -> timedelta:
    return timedelta(seconds=time.monotonic() - STARTED)


def expect(put: object, got: object) -> None:
    """Raise when a part returned something else than was written."""
    if put != got:
        raise ValueError("what was written was not what was read")

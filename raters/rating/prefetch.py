"""Copy a batch's clips to the local disk while the first one plays, in case the store fails."""

from __future__ import annotations

import logging
from collections import OrderedDict
from queue import Full, Queue
from threading import Lock, Thread

from django.db import connection

from core.files import storage
from raters.rating import listening

logger = logging.getLogger(__name__)
# Batches remembered as fetched, and batches that may wait; others are fetched when played.
REMEMBERED, WAITING = 2000, 100

_waiting: Queue[int] = Queue(WAITING)
_seen: OrderedDict[int, None] = OrderedDict()
_lock = Lock()
_threads: list[Thread] = []


def batch(pk: int) -> None:
    """Fetch a batch in a background thread, once per process; does nothing if the store is local."""
    if not storage.is_elsewhere():
        return
    with _lock:
        if pk in _seen:
            return
        _seen[pk] = None
        if len(_seen) > REMEMBERED:
            _seen.popitem(last=False)
        if not _threads:
            # A daemon thread, so that a pending fetch doesn't delay shutdown.
            _threads.append(Thread(target=_work, name="prefetch", daemon=True))
            _threads[0].start()
    try:
        _waiting.put_nowait(pk)
    except Full:
        logger.warning("Clips come slowly from the store: %s batches wait to be fetched.", WAITING)


def finish() -> None:
    """Wait for all pending fetches."""
    _waiting.join()


def _work() -> None:
    while True:
        pk = _waiting.get()
        try:
            for name, size in listening.remaining_clips(pk):
                storage.fetch_sound(name, size)
        # The only thread must survive; the next batch may succeed.
        except Exception as error:
            logger.warning("The clips of a batch were not fetched ahead: %s: %s", type(error).__name__, error)
        finally:
            # Django doesn't close the connections of this thread.
            connection.close()
            _waiting.task_done()

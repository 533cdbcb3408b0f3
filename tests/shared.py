"""What the processes of one run make once: the first that asks makes it, the others copy it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.settings import BASE

DONE = "done"
IS_ALONE = "PYTEST_XDIST_WORKER" not in os.environ


@contextmanager
def turn(name: str) -> Iterator[bool]:
    """Say whether another process has made it; where not, the others wait until this one has."""
    if IS_ALONE:
        yield False
        return
    with (Path(BASE) / f"{name}.lock").open("a+", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.seek(0)
        is_made = lock.read() == DONE
        yield is_made
        if not is_made:
            lock.write(DONE)

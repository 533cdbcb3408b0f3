"""What the person at the terminal reads: one line a step, with its seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager


class LauncherError(Exception):
    """Something that only the person at the terminal can mend; the message says what and how."""


def line(text: str = "") -> None:
    """Write one line at once, even into a pipe."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


@contextmanager
def step(text: str) -> Iterator[None]:
    """Say what is being done, and how long it took once it is done."""
    sys.stdout.write(f"  {text} … ")
    sys.stdout.flush()
    started = time.monotonic()
    try:
        yield
    except BaseException:
        line("stopped")
        raise
    line(f"{time.monotonic() - started:.1f} s")

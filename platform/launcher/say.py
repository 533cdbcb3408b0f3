"""Output for the person at the terminal: one line a step, with its seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager


class LauncherError(Exception):
    """A problem that only the person at the terminal can fix; the message says what and how."""


class WrongUse(LauncherError):
    """A command line that can't be understood."""


def line(text: str = "") -> None:
    """Write and flush one line."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


@contextmanager
def step(text: str) -> Iterator[None]:
    """Print the name of a step, and its duration once it is done."""
    sys.stdout.write(f"  {text} … ")
    sys.stdout.flush()
    started = time.monotonic()
    try:
        yield
    except BaseException:
        line("stopped")
        raise
    line(f"{time.monotonic() - started:.1f} s")

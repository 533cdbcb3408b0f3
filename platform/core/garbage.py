"""Control of Python's garbage collector."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def new_alone() -> Iterator[None]:
    """Collect only new garbage during work that creates millions of short-lived objects.

    Otherwise it goes over everything that the process has loaded again and again.
    """
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()

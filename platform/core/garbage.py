"""Python's search for garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def new_alone() -> Iterator[None]:
    """Have Python look for garbage among new objects alone: for work that makes and drops millions of them.

    Otherwise it goes over everything that the process has loaded again and again.
    """
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()

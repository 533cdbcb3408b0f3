"""Ctrl-C, kill and a closed terminal, all as KeyboardInterrupt, and only where it can be borne."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Interrupts:
    """What was asked by signals."""

    def __init__(self) -> None:
        self.held = False
        self.asked_at = 0.0

    def listen(self) -> None:
        """Take the signals that mean: stop."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.receive)

    def receive(self, number: int, frame: Any) -> None:
        """Interrupt what is going on, or remember it for later."""
        self.asked_at = time.monotonic()
        if not self.held:
            raise KeyboardInterrupt

    @contextmanager
    def later(self) -> Iterator[None]:
        """Do something whole, such as starting a process and writing down that it was started."""
        self.held, began = True, time.monotonic()
        try:
            yield
        finally:
            self.held = False
        if self.asked_at >= began:
            raise KeyboardInterrupt

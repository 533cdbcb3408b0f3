"""Turn Ctrl-C, kill and a closed terminal into KeyboardInterrupt, at points where it does no harm."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Interrupts:
    """Handlers of the signals to stop."""

    def __init__(self) -> None:
        self.held = False
        self.asked_at = 0.0

    def listen(self) -> None:
        """Install the handlers."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.receive)

    def receive(self, number: int, frame: Any) -> None:
        """Interrupt now, or remember the interrupt for later."""
        self.asked_at = time.monotonic()
        if not self.held:
            raise KeyboardInterrupt

    @contextmanager
    def later(self) -> Iterator[None]:
        """Delay interrupts during a step that must be complete, such as starting a process and recording it."""
        self.held, began = True, time.monotonic()
        try:
            yield
        finally:
            self.held = False
        if self.asked_at >= began:
            raise KeyboardInterrupt

"""Request threads: two answer as long as they get on, and the others join while something holds these up.

A thread that takes its turn waits for Python's lock, and has a database connection whose caches grow cold meanwhile:
with four at work, a cycle costs a sixth more CPU than with two (docs/benchmarks.md).
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Semaphore, Thread
from typing import Any

AT_WORK = 2
# Seconds for which requests wait before another thread may join.
PATIENCE = 0.05
# Of these seconds, a process that computes less waits for a disk or a database.
BUSY = 0.25


class RequestThreads:
    """`most` threads for one loop, which calls `look` after each wait, and waits for at most `patience` seconds."""

    def __init__(self, most: int, log: Any) -> None:
        self.log = log
        self.tasks: queue.SimpleQueue[Callable[[], object]] = queue.SimpleQueue()
        self.needed = Semaphore(0)
        self.taken = 0
        # At the last look: the time, this process's CPU seconds, and how many tasks had been taken.
        self.seen = (time.monotonic(), time.process_time(), 0)
        for number in range(most):
            # A daemon thread, so that a slow answer doesn't outlive the time limit.
            Thread(target=self.work if number < AT_WORK else self.help, name=f"request-{number}", daemon=True).start()

    def put(self, task: Callable[[], object]) -> None:
        """Have something done by the next free thread; called by the loop alone."""
        self.tasks.put(task)

    def patience(self, longest: float) -> float:
        """Return for how many seconds the loop may wait before it must look."""
        return longest if self.tasks.empty() else PATIENCE

    def look(self, now: float) -> None:
        """Let another thread join if requests waited while none was taken, or while this process hardly computed."""
        since, used_before, taken_before = self.seen
        is_waiting = not self.tasks.empty()
        if is_waiting and now - since < PATIENCE:
            return
        self.seen = (now, time.process_time(), self.taken)
        is_idle = self.seen[1] - used_before < BUSY * (now - since)
        if is_waiting and (is_idle or self.taken == taken_before):
            self.needed.release()

    def work(self) -> None:
        """Do what comes: the whole life of a thread that is always at work."""
        while True:
            self.do(self.tasks.get())

    def help(self) -> None:
        """Do what waits, once needed: the whole life of the other threads."""
        while True:
            self.needed.acquire()
            with suppress(queue.Empty):
                while True:
                    self.do(self.tasks.get_nowait())

    def do(self, task: Callable[[], object]) -> None:
        self.taken += 1
        try:
            task()
        except Exception:
            self.log.exception("A request thread failed.")

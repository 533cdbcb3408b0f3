"""Request threads, and a stand-in for the loop: the loop answers raters itself as long as that takes no time.

Two threads that wake each other for every request, and wait for Python's lock, cost a tenth of a cycle's CPU
(docs/benchmarks.md). So the loop's thread answers short requests where it received them. The stand-in watches it: when
an answer takes long, it runs the loop until that answer is made, and for a while all requests go to request threads.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

# Seconds after which the stand-in looks: for so long an answer may hold the loop up.
PATIENCE = 0.05
# If requests wait for so many seconds, and the process computes or could for less than this part of them, it waits for
# a disk or a database: then many threads get more done than one.
QUEUED, BUSY = 0.2, 0.4
# Linux tells here, in nanoseconds, for how long the main thread, which is the loop's, has waited for a processor.
SCHEDULED = Path("/proc/self/schedstat")
# Seconds for which request threads answer everything, once answers took long; twice as many each time that they take
# long again soon afterwards.
REST, LONGEST_REST, SOON = 1.0, 32.0, 1.0


def busy_seconds() -> float:
    """Return for how long this process has computed, or would have if there had been a processor."""
    try:
        waited = int(SCHEDULED.read_bytes().split()[1]) / 1e9
    except OSError:
        waited = 0.0
    return time.process_time() + waited


class RequestThreads:
    """Threads that do tasks in the order in which these come."""

    def __init__(self, count: int, log: Any) -> None:
        self.log = log
        self.tasks: queue.SimpleQueue[Callable[[], object]] = queue.SimpleQueue()
        self.put = self.tasks.put
        for number in range(count):
            # A daemon thread, so that a slow answer doesn't outlive the time limit.
            Thread(target=self.work, name=f"request-{number}", daemon=True).start()

    def work(self) -> None:
        """Do one task after the other: the whole life of a thread."""
        while True:
            task = self.tasks.get()
            try:
                task()
            except Exception:
                self.log.exception("A request thread failed.")


class StandIn:
    """A thread that runs the loop by `turn` while the loop's own thread does a task that takes long.

    `waits` says whether requests wait for the loop's thread. Whoever runs the loop holds `lead`.
    """

    def __init__(self, turn: Callable[[], None], waits: Callable[[], bool]) -> None:
        self.turn, self.waits = turn, waits
        self.lead = Lock()
        self.is_wanted = Event()
        # When the loop's thread began the task that it does; 0 while it does none.
        self.began = 0.0
        self.rest, self.rests_until = REST, 0.0
        Thread(target=self.watch, name="stand-in", daemon=True).start()

    @property
    def rests(self) -> bool:
        """Whether the loop's thread should leave its tasks to others, since they took long a moment ago."""
        return time.monotonic() < self.rests_until

    def cover(self, task: Callable[[], object]) -> None:
        """In the loop's thread: do a task, and leave the loop to the stand-in if it takes long."""
        self.began = time.monotonic()
        if not self.is_wanted.is_set():
            self.is_wanted.set()
        self.lead.release()
        try:
            task()
        finally:
            self.began = 0.0
            self.lead.acquire()

    def watch(self) -> None:
        """Look after each pause whether the loop's thread gets on; sleep while it does no tasks."""
        # For how long requests have waited without an end, and for how long this process was busy meanwhile.
        queued = busy = 0.0
        while True:
            self.is_wanted.wait()
            self.is_wanted.clear()
            since, used = time.monotonic(), busy_seconds()
            time.sleep(PATIENCE)
            began, now = self.began, time.monotonic()
            if self.waits():
                queued += now - since
                busy += busy_seconds() - used
            else:
                queued = busy = 0.0
            is_late = 0 < began <= since
            if is_late or (queued > QUEUED and busy < BUSY * queued):
                is_again = now - self.rests_until < SOON
                self.rest = min(2 * self.rest, LONGEST_REST) if is_again else REST
                self.rests_until = now + self.rest
            if queued > QUEUED:
                queued = busy = 0.0
            if is_late:
                with self.lead:
                    while self.began == began:
                        self.turn()

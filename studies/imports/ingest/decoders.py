"""Decode several clips at once, each in a decoding process of its own, and hand the results over in order."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from typing import TypeVar

from studies.imports.ingest.decoder import TICK, DecoderProcess
from studies.imports.ingest.facts import Target

T = TypeVar("T")
# Tasks that wait for each process, so that none is idle while the results of others are handled.
AHEAD = 2
# A decoding process may need a gigabyte, and more of them than this gain little.
MOST = 8


class _Stopped(Exception):
    """The import was stopped, so the clip need not be finished."""


def cores() -> int:
    """Return how many processes suit this machine."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(MOST, usable))


class Decoders:
    """A context with a decoding process for each core.

    `beat` is called in the caller's thread every few seconds while results are awaited; what it raises ends the work.
    """

    def __init__(self, target: Target, *, beat: Callable[[], None], processes: int | None = None) -> None:
        self.target, self.beat = target, beat
        self.processes = processes or cores()

    def __enter__(self) -> Decoders:
        self._stop = threading.Event()
        self._all = [DecoderProcess(self.target, beat=self._go_on) for _ in range(self.processes)]
        self._idle: queue.SimpleQueue[DecoderProcess] = queue.SimpleQueue()
        for decoder in self._all:
            self._idle.put(decoder.__enter__())
        self._threads = ThreadPoolExecutor(self.processes, "decoder")
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        self._threads.shutdown(cancel_futures=True)
        for decoder in self._all:
            decoder.close()

    def each(self, tasks: Iterable[Callable[[DecoderProcess], T]]) -> Iterator[T]:
        """Yield what the tasks return, in their order; only some of them are started before they are needed."""
        rest = iter(tasks)
        waiting = [self._start(task) for task in islice(rest, AHEAD * self.processes)]
        while waiting:
            while not wait(waiting[:1], TICK, FIRST_COMPLETED).done:
                self.beat()
            result = waiting.pop(0).result()
            waiting += [self._start(task) for task in islice(rest, 1)]
            yield result

    def _start(self, task: Callable[[DecoderProcess], T]) -> Future[T]:
        return self._threads.submit(self._run, task)

    def _run(self, task: Callable[[DecoderProcess], T]) -> T:
        decoder = self._idle.get()
        try:
            return task(decoder)
        finally:
            self._idle.put(decoder)

    def _go_on(self) -> None:
        if self._stop.is_set():
            raise _Stopped

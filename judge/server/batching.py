"""Batching: a single thread uses the device and reads waiting clips in batches within the budget."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Protocol

import torch

from judge.schemas import Code
from judge.server.engine import ModelReading, PreparedClip


class Reader(Protocol):
    """An engine that reads batches of clips."""

    def read(self, clips: Sequence[PreparedClip]) -> list[ModelReading]: ...


class ClipUnanswered(Exception):
    """An accepted clip could not be answered."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of a forward pass; `tokens` includes padding."""

    clips: int
    tokens: int


@dataclass(slots=True, eq=False)
class WaitingClip:
    """A clip in the queue with the future of its answer; cancelling the future removes it."""

    clip: PreparedClip
    answer: Future[ModelReading] = field(default_factory=Future)


class Batcher:
    """Queues clips from any thread; a batch never waits for more clips."""

    def __init__(
        self,
        reader: Reader,
        budget: Budget,
        *,
        on_batch: Callable[[int], None] = lambda size: None,
        on_broken: Callable[[], None] = lambda: None,
    ) -> None:
        self.reader, self.budget = reader, budget
        self.on_batch, self.on_broken = on_batch, on_broken
        self.queue: list[WaitingClip] = []
        self.changed = threading.Condition()
        self.is_closed = False
        self.is_broken = False
        self.thread = threading.Thread(target=self._work, name="device", daemon=True)
        self.thread.start()

    def submit(self, clip: PreparedClip) -> Future[ModelReading]:
        """Put a clip in the queue; the future yields a `ModelReading` or raises `ClipUnanswered`."""
        waiting = WaitingClip(clip)
        with self.changed:
            if self.is_broken or self.is_closed:
                raise ClipUnanswered(
                    "device_failed" if self.is_broken else "draining", "This judge accepts no more clips."
                )
            self.queue.append(waiting)
            self.changed.notify()
        return waiting.answer

    def close(self) -> None:
        """Answer all waiting clips, then stop."""
        with self.changed:
            self.is_closed = True
            self.changed.notify()
        self.thread.join()

    def _work(self) -> None:
        while batch := self._next():
            self._answer(batch)
            if self.is_broken:
                self._give_up()
                return

    def _next(self) -> list[WaitingClip]:
        """Wait for clips; return the oldest and those closest to it in length, or an empty list after closing."""
        with self.changed:
            while True:
                # Futures in a chosen batch can't be cancelled any more.
                self.queue = [waiting for waiting in self.queue if not waiting.answer.cancelled()]
                if self.queue or self.is_closed:
                    break
                self.changed.wait()
            batch = choose(self.queue, self.budget)
            self.queue = [waiting for waiting in self.queue if waiting not in batch]
        running = [waiting for waiting in batch if waiting.answer.set_running_or_notify_cancel()]
        return running or (self._next() if batch else [])

    def _answer(self, batch: Sequence[WaitingClip]) -> None:
        """Read a batch; if it fails, read its halves, down to the clip that causes the failure."""
        try:
            readings = self.reader.read([waiting.clip for waiting in batch])
        except torch.OutOfMemoryError:
            self._shrink(len(batch))
            failure = ClipUnanswered("out_of_memory", "The device has too little memory for this clip at the moment.")
        except torch.AcceleratorError as error:
            # After this error, the device refuses everything in this process.
            self.is_broken = True
            self._fail(batch, ClipUnanswered("device_failed", f"The device failed: {error}"))
            return
        except Exception as error:
            failure = ClipUnanswered("failed", f"The model fails on this clip ({type(error).__name__}).")
        else:
            self.on_batch(len(batch))
            for waiting, reading in zip(batch, readings, strict=True):
                if reading.is_sound:
                    waiting.answer.set_result(reading)
                else:
                    self._fail([waiting], ClipUnanswered("failed", "The model's answer to this clip is not a number."))
            return
        if len(batch) == 1:
            self._fail(batch, failure)
            return
        for half in (batch[: len(batch) // 2], batch[len(batch) // 2 :]):
            if self.is_broken:
                self._fail(half, ClipUnanswered("device_failed", "The device failed."))
            else:
                self._answer(half)

    def _shrink(self, size: int) -> None:
        """Limit later batches to half the size of one that was too large."""
        self.budget = Budget(max(1, min(self.budget.clips, size // 2)), self.budget.tokens)
        if torch.cuda.is_available():
            torch.cuda.empty_cache()

    def _give_up(self) -> None:
        with self.changed:
            remaining, self.queue = self.queue, []
        running = [waiting for waiting in remaining if waiting.answer.set_running_or_notify_cancel()]
        self._fail(running, ClipUnanswered("device_failed", "The device failed."))
        self.on_broken()

    @staticmethod
    def _fail(batch: Sequence[WaitingClip], error: ClipUnanswered) -> None:
        for waiting in batch:
            waiting.answer.set_exception(error)


def choose(queue: Sequence[WaitingClip], budget: Budget) -> list[WaitingClip]:
    """Return the oldest clip and those closest to it in length, within the limits of clips and padded tokens."""
    if not queue:
        return []
    first = queue[0].clip.tokens
    batch, longest = [queue[0]], first
    for waiting in sorted(queue[1:], key=lambda waiting: abs(waiting.clip.tokens - first)):
        longest = max(longest, waiting.clip.tokens)
        if len(batch) == budget.clips or longest * (len(batch) + 1) > budget.tokens:
            break
        batch.append(waiting)
    return batch

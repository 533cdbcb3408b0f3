"""Two request threads work; the others join when requests wait and the two get nowhere, or only wait themselves."""

from __future__ import annotations

import logging
import time
from threading import Event

import pytest

from config.serving import threads
from config.serving.threads import PATIENCE, RequestThreads

log = logging.getLogger(__name__)


def nothing() -> None:
    """Be a request."""


def joins(waiting: RequestThreads) -> bool:
    """Say whether a thread was called, which there is none of here."""
    return waiting.needed.acquire(blocking=False)


@pytest.fixture
def used(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the CPU seconds of this process, to be set."""
    seconds = [0.0]
    monkeypatch.setattr(threads.time, "process_time", lambda: seconds[0])
    return seconds


def test_a_request_is_answered_though_slow_ones_keep_both_threads() -> None:
    pool, free, answered = RequestThreads(3, log), Event(), Event()
    for _ in range(threads.AT_WORK):
        pool.put(free.wait)
    while not pool.tasks.empty():
        time.sleep(0.001)
    pool.put(answered.set)
    assert pool.patience(10) == PATIENCE
    assert not answered.wait(0.1)
    pool.look(time.monotonic())
    assert answered.wait(10)
    free.set()
    assert pool.patience(10) == 10


def test_nobody_joins_while_requests_are_taken_and_the_process_computes(used: list[float]) -> None:
    pool = RequestThreads(0, log)
    pool.look(100.0)
    pool.put(nothing)
    for moment in range(1, 20):
        pool.taken, used[0] = moment, moment * PATIENCE * 0.5
        pool.look(100 + moment * PATIENCE * 1.01)
    assert not joins(pool)


def test_one_joins_at_a_time_while_the_process_waits_for_a_disk(used: list[float]) -> None:
    pool = RequestThreads(0, log)
    pool.look(100.0)
    pool.put(nothing)
    pool.taken = 1
    pool.look(100 + PATIENCE * 0.9)
    assert not joins(pool)
    pool.look(100 + PATIENCE * 1.1)
    assert joins(pool)
    assert not joins(pool)


def test_a_pause_without_requests_calls_nobody(used: list[float]) -> None:
    pool = RequestThreads(0, log)
    pool.look(100.0)
    pool.look(200.0)
    pool.put(nothing)
    pool.look(200 + PATIENCE * 0.9)
    assert not joins(pool)


def test_a_task_that_fails_ends_no_thread(caplog: pytest.LogCaptureFixture) -> None:
    pool, done = RequestThreads(1, log), Event()
    pool.put(lambda: 1 / 0)
    pool.put(done.set)
    assert done.wait(10)
    assert "A request thread failed." in caplog.text

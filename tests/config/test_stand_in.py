"""The loop's thread does short tasks itself; the stand-in runs the loop while one of them takes long."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from threading import Event
from types import SimpleNamespace

import pytest

from config.serving import threads
from config.serving.threads import RequestThreads, StandIn

LONG = 10.0


def nothing() -> None:
    """Be a turn of the loop, or a request."""


def stand_in(turn: Callable[[], None] = nothing, *, waits: bool = False) -> StandIn:
    """Return a stand-in of a loop that this thread runs."""
    made = StandIn(turn, lambda: waits)
    made.lead.acquire()
    return made


def rests_after(covering: StandIn, tasks: int) -> bool:
    """Say whether request threads are asked for while so many tasks are done, each for half the stand-in's patience."""
    for _ in range(tasks):
        covering.cover(lambda: time.sleep(threads.PATIENCE / 2))
        if covering.rests:
            return True
    return False


@pytest.fixture
def computes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the CPU time of this process grow whenever it is read."""
    monkeypatch.setattr(threads.time, "process_time", map(float, count()).__next__)


def test_the_loop_goes_on_while_a_task_takes_long_and_stops_when_its_thread_is_back() -> None:
    turns: list[bool] = []
    third = Event()

    def turn() -> None:
        turns.append(covering.lead.locked())
        if len(turns) == 3:
            third.set()

    covering = stand_in(turn)
    covering.cover(lambda: third.wait(LONG))
    seen = len(turns)
    assert third.is_set()
    assert all(turns), "only who leads runs the loop"
    assert covering.rests
    assert covering.lead.locked()
    time.sleep(3 * threads.PATIENCE)
    assert len(turns) == seen


def test_a_task_that_takes_long_and_fails_gives_the_loop_back() -> None:
    begun = Event()
    covering = stand_in(begun.set)
    with pytest.raises(ZeroDivisionError):
        covering.cover(lambda: 1 / (begun.wait(LONG) - 1))
    assert covering.lead.locked()


def test_short_tasks_need_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    turned = Event()
    covering = stand_in(turned.set)
    assert not rests_after(covering, 6)
    assert not turned.is_set()


def test_requests_that_wait_for_a_disk_go_to_request_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "SCHEDULED", SimpleNamespace(read_bytes=lambda: b"0 0 1"))
    monkeypatch.setattr(threads.time, "process_time", lambda: 0.0)
    assert rests_after(stand_in(waits=True), 20)


@pytest.mark.usefixtures("computes")
def test_requests_stay_with_the_loop_while_it_computes() -> None:
    assert not rests_after(stand_in(waits=True), 20)


def test_requests_stay_with_a_loop_that_waits_for_a_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads.time, "process_time", lambda: 0.0)
    nanoseconds = count(step=1_000_000_000)

    def read() -> bytes:
        return b"0 %d 1" % next(nanoseconds)

    monkeypatch.setattr(threads, "SCHEDULED", SimpleNamespace(read_bytes=read))
    assert not rests_after(stand_in(waits=True), 20)


def test_elsewhere_than_on_linux_only_computing_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(threads, "SCHEDULED", tmp_path / "not there")
    assert threads.busy_seconds() == pytest.approx(time.process_time(), abs=1.0)


def test_after_a_rest_the_loop_takes_requests_again_and_rests_longer_if_they_still_take_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(threads, "REST", 0.1)
    begun = Event()
    covering = stand_in(begun.set)
    for rest in (0.1, 0.2, 0.4, 0.8):
        begun.clear()
        covering.cover(lambda: begun.wait(LONG))
        assert covering.rests
        assert covering.rest == pytest.approx(rest)
        time.sleep(rest)
        assert not covering.rests
    monkeypatch.setattr(threads, "SOON", 0.0)
    begun.clear()
    covering.cover(lambda: begun.wait(LONG))
    assert covering.rest == pytest.approx(0.1)


def test_a_task_that_fails_ends_no_thread(caplog: pytest.LogCaptureFixture) -> None:
    pool, done = RequestThreads(1, logging.getLogger(__name__)), Event()
    pool.put(lambda: 1 / 0)
    pool.put(done.set)
    assert done.wait(LONG)
    assert "A request thread failed." in caplog.text

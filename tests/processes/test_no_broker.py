"""A page never waits for the broker: without one, the answer that fills a batch is taken all the same."""

from __future__ import annotations

import time

import pytest

from core import clock
from core.jobs import QUEUED
from raters.models import Answer, Batch
from tests.processes.visitor import Visitor
from tests.servers import Processes, free_port
from tests.world import make_study

pytestmark = pytest.mark.processes


@pytest.mark.parametrize("is_named", [True, False], ids=["nobody listens at its address", "no address is set"])
def test_the_answer_that_fills_a_batch_is_taken_at_once_without_a_broker(processes: Processes, is_named: bool) -> None:
    study = make_study(now=clock.now(), texts=40, protocol__playback="record")
    port = free_port()
    address = f"redis://127.0.0.1:{free_port()}/0" if is_named else ""
    processes.web(port, EARSHOT_BROKER_URL=address)
    visitor = Visitor(f"http://127.0.0.1:{port}", study.slug, "somebody")
    visitor.come()
    shown, took = visitor.begin(), []
    for _ in range(10):
        began = time.monotonic()
        shown = visitor.rate(shown)
        took.append(time.monotonic() - began)
    assert visitor.replies == [200] * 11
    assert shown["set"] == 2
    assert took[-1] < 1.5, took
    assert Answer.objects.count() == 10
    assert Batch.objects.get(number=1).state == QUEUED

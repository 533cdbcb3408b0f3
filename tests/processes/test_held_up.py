"""Requests that take long, more of them than anybody expects, and one thread that is left: others go on."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core import clock
from tests.processes.visitor import Browser, Visitor
from tests.servers import Processes, free_port
from tests.world import make_study

pytestmark = pytest.mark.processes
THREADS = 4


def test_raters_rate_while_requests_of_others_are_held_up_and_a_server_that_stops_ends_these(
    processes: Processes, tmp_path: Path
) -> None:
    study, port = make_study(now=clock.now(), texts=8, protocol__playback="record"), free_port()
    free = tmp_path / "free"
    server = processes.web(
        port, application="tests.processes.faulty.held_up",
        EARSHOT_TEST_FREE=str(free), EARSHOT_WEB_WORKERS="1", EARSHOT_WEB_THREADS=str(THREADS),
    )  # fmt: skip
    address = f"http://127.0.0.1:{port}"
    visitor = Visitor(address, study.slug, "somebody", patience=0)
    with ThreadPoolExecutor(THREADS) as pool:
        held = [pool.submit(Browser(address, patience=0).send, "GET", "/rate/held-up/") for _ in range(THREADS - 2)]
        visitor.come()
        held.append(pool.submit(Browser(address, patience=0).send, "GET", "/rate/held-up/"))
        shown = visitor.begin()
        for _ in range(3):
            shown = visitor.rate(shown)
        assert shown["state"] == "trial"
        assert Browser(address).send("GET", "/livez").status == 200
        assert not any(each.done() for each in held)
        server.process.terminate()
        # Long enough to drop what is held up, and not longer than a server that stops may take.
        time.sleep(1)
        free.touch()
        assert {each.result().status for each in held} == {404}
    assert visitor.browser.resent == 0
    assert "Traceback" not in server.finish()

"""Web servers on two hosts, one of whose clocks is five minutes ahead: the listening rule means the same on both."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest

from core import clock
from tests.processes.visitor import JSON, REASON, Browser, Reply, Visitor
from tests.servers import Processes, free_port
from tests.world import make_study

pytestmark = [pytest.mark.processes, pytest.mark.postgres]
SECONDS = 20.0


@pytest.mark.parametrize("begins_ahead", [True, False], ids=["played on the host ahead", "played on the right host"])
def test_a_play_is_as_long_on_a_host_whose_clock_is_wrong(processes: Processes, begins_ahead: bool) -> None:
    study = make_study(now=clock.now(), texts=8, seconds=SECONDS)
    right, ahead = free_port(), free_port()
    processes.web(right, EARSHOT_WEB_WORKERS="1")
    processes.web(ahead, EARSHOT_WEB_WORKERS="1", application="tests.processes.faulty.clock_ahead")
    first, second = (ahead, right) if begins_ahead else (right, ahead)
    visitor = Visitor(f"http://127.0.0.1:{first}", study.slug, "somebody")
    visitor.come()
    shown = visitor.begin()
    [clip] = shown["trial"]["clips"]
    visitor.browser.send("GET", clip["url"])
    played = visitor.browser.send(
        "POST", f"{visitor.place}api/played/{clip['key']}", json.dumps({"tab": shown["tab"]}), JSON
    )
    assert played.status == 200
    elsewhere = Browser(f"http://127.0.0.1:{second}")
    elsewhere.cookies = visitor.browser.cookies
    early = answer(elsewhere, visitor.place, shown)
    assert early.status == 425, "the clip has not been heard"
    assert early.json()["retry_after"] <= SECONDS


def answer(browser: Browser, place: str, shown: dict) -> Reply:
    """Send an answer to the trial that is shown."""
    body = {"tab": shown["tab"], "key": str(uuid4()), "answer": {"label": "human", "reason": REASON}, "evidence": {}}
    return browser.send("POST", f"{place}api/answers/{shown['trial']['token']}", json.dumps(body), JSON)

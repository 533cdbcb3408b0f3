"""A store that takes requests and never answers: whoever watches the server is told, and raters go on."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import pytest

from core import clock
from studies.clips.models import Clip
from tests.processes.visitor import JSON, REASON, Browser, Visitor
from tests.servers import Processes, free_port, until
from tests.world import make_study

pytestmark = pytest.mark.processes
# Of the server.
PROCESSES, THREADS = 2, 8
ASKING = 24


@contextmanager
def hanging(processes: Processes) -> Iterator[str]:
    """Start a web server with a store that takes requests and never answers; yield its address."""
    port = free_port()
    with socket.create_server(("127.0.0.1", 0)) as store:
        bucket = {
            "EARSHOT_S3_BUCKET": "clips", "EARSHOT_S3_ENDPOINT": f"http://127.0.0.1:{store.getsockname()[1]}",
            "EARSHOT_S3_ACCESS_KEY": "key", "EARSHOT_S3_SECRET_KEY": "secret", "EARSHOT_S3_REGION": "eu-central-1",
        }  # fmt: skip
        processes.web(port, **bucket)
        yield f"http://127.0.0.1:{port}"


def answer(visitor: Visitor, shown: dict[str, Any]) -> dict[str, Any]:
    """Answer without the sound, which is in that store; return what comes next."""
    body = {"tab": shown["tab"], "key": str(uuid4()), "answer": {"label": "human", "reason": REASON}}
    path = f"{visitor.place}api/answers/{shown['trial']['token']}"
    reply = visitor.browser.send("POST", path, json.dumps({**body, "evidence": {}}), JSON)
    assert reply.status == 200
    return dict(reply.json())


def test_raters_go_on_while_health_is_asked_and_the_store_hangs(processes: Processes) -> None:
    study = make_study(now=clock.now(), texts=8, protocol__playback="record")
    with hanging(processes) as address:
        visitor = Visitor(address, study.slug, "somebody")
        visitor.come()
        with ThreadPoolExecutor(ASKING) as pool:
            asked = [pool.submit(Browser(address, patience=0).send, "GET", "/healthz") for _ in range(ASKING)]
            shown = visitor.begin()
            for _ in range(3):
                shown = answer(visitor, shown)
            assert visitor.browser.resent == 0, "a rater had to wait"
            replies = [each.result() for each in asked]
    assert {reply.status for reply in replies} == {503}
    assert replies[0].json()["parts"] == {"database": "ok", "files": "failing"}
    ready = Browser(address).send("GET", "/readyz")
    assert (ready.status, ready.json()) == (200, {"status": "ok"})


def test_raters_go_on_while_others_wait_for_clips_of_a_store_that_hangs(processes: Processes) -> None:
    study = make_study(now=clock.now(), texts=8, protocol__playback="record")
    with hanging(processes) as address:
        waiting, visitor = Visitor(address, study.slug, "somebody"), Visitor(address, study.slug, "another", patience=0)
        for each in (waiting, visitor):
            each.come()
        # The tests' folder, which is searched as well, has none of this name.
        Clip.objects.update(rendition="renditions/elsewhere")
        clip = waiting.begin()["trial"]["clips"][0]["url"]
        cookies = dict(waiting.browser.cookies)

        def listen() -> int:
            browser = Browser(address, patience=0)
            browser.connection.timeout = 90
            browser.cookies = dict(cookies)
            return browser.send("GET", clip).status

        with ThreadPoolExecutor(ASKING) as pool:
            asked = [pool.submit(listen) for _ in range(ASKING)]
            shown = visitor.begin()
            assert Browser(address, patience=0).send("GET", "/livez").status == 200
            for _ in range(3):
                shown = answer(visitor, shown)
            assert visitor.browser.resent == 0, "a rater had to wait"
            # Those that wait for the store fill no more than half of the threads; the others come again later.
            most = PROCESSES * THREADS // 2
            until(lambda: sum(not each.done() for each in asked) <= most, "more requests wait for the store", seconds=3)
            assert any(not each.done() for each in asked)
            assert {each.result() for each in asked} == {503}

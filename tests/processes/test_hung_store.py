"""A store that takes requests and never answers: whoever watches the server is told, and raters go on."""

from __future__ import annotations

import json
import socket
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest

from core import clock
from tests.processes.visitor import JSON, REASON, Browser, Visitor
from tests.servers import Processes, free_port
from tests.world import make_study

pytestmark = pytest.mark.processes
# The server has two processes of eight threads.
ASKING = 24


def test_raters_go_on_while_health_is_asked_and_the_store_hangs(processes: Processes) -> None:
    study, port = make_study(now=clock.now(), texts=8, protocol__playback="record"), free_port()
    with socket.create_server(("127.0.0.1", 0)) as store:
        bucket = {
            "EARSHOT_S3_BUCKET": "clips", "EARSHOT_S3_ENDPOINT": f"http://127.0.0.1:{store.getsockname()[1]}",
            "EARSHOT_S3_ACCESS_KEY": "key", "EARSHOT_S3_SECRET_KEY": "secret", "EARSHOT_S3_REGION": "eu-central-1",
        }  # fmt: skip
        processes.web(port, **bucket)
        address = f"http://127.0.0.1:{port}"
        visitor = Visitor(address, study.slug, "somebody")
        visitor.come()
        with ThreadPoolExecutor(ASKING) as pool:
            asked = [pool.submit(Browser(address, patience=0).send, "GET", "/healthz") for _ in range(ASKING)]
            shown = visitor.begin()
            for _ in range(3):
                # Without its sound, which is in that store.
                body = {"tab": shown["tab"], "key": str(uuid4()), "answer": {"label": "human", "reason": REASON}}
                path = f"{visitor.place}api/answers/{shown['trial']['token']}"
                reply = visitor.browser.send("POST", path, json.dumps({**body, "evidence": {}}), JSON)
                assert reply.status == 200
                shown = reply.json()
            assert visitor.browser.resent == 0, "a rater had to wait"
            replies = [each.result() for each in asked]
    assert {reply.status for reply in replies} == {503}
    assert replies[0].json()["parts"] == {"database": "ok", "files": "failing"}
    ready = Browser(address).send("GET", "/readyz")
    assert (ready.status, ready.json()) == (200, {"status": "ok"})

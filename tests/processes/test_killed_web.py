"""The web server is killed while raters answer: what was acknowledged is stored, once."""

from __future__ import annotations

import os
import signal
import sys
import time
from http.client import HTTPConnection
from pathlib import Path

import pytest

from core import clock
from core.jobs import QUEUED
from raters.models import Answer, Batch, Rating
from studies.models import Study
from tests.processes.crowd import invite, violations
from tests.servers import Child, Processes, answers, free_port, until
from tests.world import make_study

pytestmark = pytest.mark.processes


@pytest.fixture
def study(processes: Processes) -> Study:
    return make_study(now=clock.now(), texts=40, flawed=6, humans=12, protocol__playback="record")


def stored() -> dict[str, str]:
    """Return {trial token: idempotency key} of every answer in the tables."""
    return {token: str(key) for token, key in Answer.objects.values_list("trial__token", "idempotency")}


def test_an_answer_is_kept_when_the_server_dies_before_the_next_batch_is_claimed(
    processes: Processes, study: Study
) -> None:
    port = free_port()
    dying = processes.web(port, application="tests.processes.faulty.dies_after_commit")
    crowd = invite(processes, f"http://127.0.0.1:{port}", study.slug, people=1, answers=12)
    crowd.let_in()
    dying.process.wait(30)
    assert Answer.objects.count() == 10, "the tenth answer was committed before the server died"
    assert Batch.objects.get().state == QUEUED
    processes.web(port)
    [seen] = crowd.seen()
    assert seen["replies"] == [200] * 13, seen
    assert seen["resent"] >= 1
    assert stored() == dict(seen["acknowledged"])
    assert Batch.objects.count() == 2
    assert violations(study) == []


def test_no_answer_is_lost_or_doubled_when_the_server_is_killed_while_raters_answer(
    processes: Processes, study: Study
) -> None:
    port, people, answers = free_port(), 4, 30
    server = processes.web(port)
    crowd = invite(processes, f"http://127.0.0.1:{port}", study.slug, people=people, answers=answers)
    crowd.let_in()
    for _ in range(3):
        time.sleep(0.4)
        server.kill()
        server = processes.web(port)
    found = crowd.seen()
    for seen in found:
        assert seen["replies"] == [200] * (1 + answers), seen
    assert sum(seen["resent"] for seen in found) >= 1, "the server was never killed under anybody"
    acknowledged = [tuple(pair) for seen in found for pair in seen["acknowledged"]]
    assert len(acknowledged) == people * answers
    assert stored() == dict(acknowledged)
    assert Rating.objects.count() == Answer.objects.count() == people * answers
    assert violations(study) == []


def web_processes(of: Child) -> list[int]:
    """Return the web processes that a parent has started."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == of.process.pid and "config.web" in (entry / "cmdline").read_text():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


@pytest.mark.skipif(not Path("/proc").exists(), reason="a parent's processes are read from /proc")
def test_pages_are_answered_while_a_dead_web_process_is_replaced_and_the_parent_stops_both(
    processes: Processes,
) -> None:
    port = free_port()
    listen, base = f"--listen=127.0.0.1:{port}", f"http://127.0.0.1:{port}"
    parent = processes.python(
        "-m", "launcher.contained", listen, "web", sys.executable, "-m", "config.web",
        EARSHOT_BASE_URL=base, EARSHOT_WEB_WORKERS="2",
    )  # fmt: skip
    until(lambda: len(web_processes(parent)) == 2 and answers(port), "nobody answers", alive=parent)
    first, second = web_processes(parent)
    os.kill(first, signal.SIGKILL)
    for _ in range(20):
        connection = HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("GET", "/livez")
        assert connection.getresponse().status == 200
        connection.close()
    until(lambda: len({*web_processes(parent)} - {first}) == 2, "no process came in its place", alive=parent)
    assert second in web_processes(parent)
    parent.process.send_signal(signal.SIGTERM)
    assert "Restarting the web process." in parent.finish()
    assert not answers(port)

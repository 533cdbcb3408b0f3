"""Two web hosts with data folders of their own behind one nginx; raters' requests reach either."""

from __future__ import annotations

import shutil
from http.client import HTTPConnection
from pathlib import Path

import pytest

from core import clock
from raters.models import Answer, Rating
from tests import nginx
from tests.processes.crowd import invite, violations
from tests.servers import Child, Processes, free_port, listens, until
from tests.settings import SCRATCH
from tests.world import make_study

pytestmark = [pytest.mark.processes, pytest.mark.postgres, pytest.mark.nginx]
PEOPLE, ANSWERS = 4, 30


class Hosts:
    """Two web servers that share a database and the folder of files, as hosts with a shared file system do."""

    def __init__(self, processes: Processes, folder: Path) -> None:
        self.processes, self.port = processes, free_port()
        self.ports = [free_port(), free_port()]
        self.folders = [SCRATCH, folder / "another"]
        self.folders[1].mkdir(mode=0o700)
        (SCRATCH / "files").mkdir(exist_ok=True)
        (self.folders[1] / "files").symlink_to(SCRATCH / "files")
        shutil.copytree(SCRATCH / "static", self.folders[1] / "static")
        self.webs = [self.serve(0), self.serve(1)]
        nginx.start(processes, folder / "nginx", self.port, self.ports[0], others=self.ports[1:])

    def serve(self, number: int) -> Child:
        address = {"EARSHOT_BASE_URL": f"http://127.0.0.1:{self.port}", "EARSHOT_BEHIND_PROXY": "1"}
        return self.processes.web(self.ports[number], EARSHOT_DATA=str(self.folders[number]), **address)

    def kill(self, number: int) -> None:
        self.webs[number].kill()
        until(lambda: not listens(self.ports[number]), "the web server is still there")

    def get(self, path: str) -> int:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", path)
        status = connection.getresponse().status
        connection.close()
        return status


def test_sessions_go_from_host_to_host_and_no_answer_is_lost_or_doubled_when_one_is_killed(
    processes: Processes, tmp_path: Path
) -> None:
    study = make_study(now=clock.now(), texts=40, flawed=6, humans=12, protocol__playback="record")
    hosts = Hosts(processes, tmp_path)
    crowd = invite(processes, f"http://127.0.0.1:{hosts.port}", study.slug, people=PEOPLE, answers=ANSWERS)
    crowd.let_in()
    # nginx gives requests to the hosts in turn.
    until(lambda: Answer.objects.count() >= 2 * PEOPLE, "nobody answers")
    hosts.kill(0)
    before = Answer.objects.count()
    assert before < PEOPLE * ANSWERS, "the host was killed too late"
    until(lambda: Answer.objects.count() > before, "the other host takes no answer")
    acknowledged = []
    for seen in crowd.seen():
        assert seen["replies"] == [200] * (1 + ANSWERS), seen
        acknowledged += [tuple(pair) for pair in seen["acknowledged"]]
    stored = {token: str(key) for token, key in Answer.objects.values_list("trial__token", "idempotency")}
    assert stored == dict(acknowledged)
    assert len(acknowledged) == Answer.objects.count() == Rating.objects.count() == PEOPLE * ANSWERS
    assert violations(study) == []


def test_files_of_a_release_come_while_only_one_host_has_it(processes: Processes, tmp_path: Path) -> None:
    new = SCRATCH / "static" / "newer.0123456789ab.js"
    hosts = Hosts(processes, tmp_path)
    hosts.kill(0)
    new.write_text("export {};", encoding="utf-8")
    try:
        hosts.serve(0)
        assert [hosts.get(f"/static/{new.name}") for _ in range(6)] == [200] * 6
        assert hosts.get("/static/nowhere.js") == 404
    finally:
        new.unlink()

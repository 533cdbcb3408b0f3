"""nginx sends clips from the disk: what it reports counts, and nobody can tell who sent a clip."""

from __future__ import annotations

import json
import socket
import time
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from core import clock
from raters.models import Answer, TrialClip
from tests import nginx
from tests.processes.visitor import REASON, Visitor
from tests.servers import Child, Processes, free_port, listens, until
from tests.settings import SCRATCH
from tests.world import make_study

pytestmark = [pytest.mark.processes, pytest.mark.nginx]
# More than operating systems hold for a client that does not read.
LONG = 400.0
# What differs between any two responses of one server.
ODD = {"Date", "Content-Length", "Content-Range"}


@dataclass
class Reply:
    status: int
    headers: list[tuple[str, str]]
    body: bytes

    def __getitem__(self, name: str) -> str:
        return dict(self.headers)[name]


@dataclass
class Site:
    """A web server behind nginx, and somebody who rates there."""

    port: int
    web_port: int
    web: Child
    visitor: Visitor

    def get(self, url: str, *, method: str = "GET", stranger: bool = False, **headers: str) -> Reply:
        """Send one request on a connection of its own."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        cookies = "; ".join(f"{name}={value}" for name, value in self.visitor.browser.cookies.items())
        known = {} if stranger else {"Cookie": cookies}
        connection.request(method, url, headers={**known, **{name.replace("_", "-"): v for name, v in headers.items()}})
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return Reply(response.status, response.getheaders(), body)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        return self.visitor.browser.send("POST", self.visitor.place + path, json.dumps(body), "application/json")

    def answer(self, shown: dict[str, Any]) -> Any:
        answer = {"label": "human", "reason": REASON}
        body = {"tab": shown["tab"], "key": str(uuid4()), "answer": answer, "evidence": {}}
        return self.post(f"api/answers/{shown['trial']['token']}", body)


def serve(processes: Processes, folder: Path, slug: str, *, sends: bool = True, name: str = "somebody") -> Site:
    port, web_port = free_port(), free_port()
    setting = {"EARSHOT_SENDFILE": "nginx"} if sends else {}
    address = {"EARSHOT_BASE_URL": f"http://127.0.0.1:{port}", "EARSHOT_BEHIND_PROXY": "1"}
    web = processes.web(web_port, **address, **setting)
    nginx.start(processes, folder, port, web_port, SCRATCH)
    visitor = Visitor(f"http://127.0.0.1:{port}", slug, name)
    visitor.come()
    return Site(port, web_port, web, visitor)


def row(key: str) -> TrialClip:
    return TrialClip.objects.select_related("clip").get(key=key)


def until_sent(key: str, ranges: list[list[int]]) -> None:
    until(lambda: row(key).sent == ranges, f"{ranges} were not counted")


def until_fetched(key: str) -> None:
    until(lambda: row(key).fetched_at is not None, "the clip was not counted as sent")


def test_a_whole_clip_counts_once_nginx_has_reported_it(processes: Processes, tmp_path: Path) -> None:
    study = make_study(now=clock.now(), texts=8)
    site = serve(processes, tmp_path / "nginx", study.slug)
    shown = site.visitor.begin()
    [clip] = shown["trial"]["clips"]
    whole = site.get(clip["url"])
    assert (whole.status, len(whole.body)) == (200, row(clip["key"]).clip.rendition_bytes)
    assert whole.body.startswith(b"RIFF")
    until_fetched(clip["key"])
    for _ in range(3):
        shown = site.visitor.rate(shown)
    assert site.visitor.replies == [200] * 4
    assert Answer.objects.count() == 3
    # It was nginx indeed, to whom the application only gives a path.
    direct = Site(site.web_port, 0, site.web, site.visitor).get(shown["trial"]["clips"][0]["url"])
    assert (direct.status, direct.body) == (200, b"")
    assert direct["X-Accel-Redirect"].startswith("/sent-by-nginx/renditions/")


def test_ranges_count_as_what_they_are_and_a_head_for_nothing(processes: Processes, tmp_path: Path) -> None:
    study = make_study(now=clock.now(), texts=8)
    site = serve(processes, tmp_path / "nginx", study.slug)
    [clip] = site.visitor.begin()["trial"]["clips"]
    size = row(clip["key"]).clip.rendition_bytes
    head = site.get(clip["url"], method="HEAD")
    assert (head.status, head["Content-Length"], head.body) == (200, str(size), b"")
    assert site.get(clip["url"], Range="bytes=999999-").status == 416
    part = site.get(clip["url"], Range="bytes=10-19")
    assert (part.status, part["Content-Range"], len(part.body)) == (206, f"bytes 10-19/{size}", 10)
    until_sent(clip["key"], [[10, 20]])
    assert site.get(clip["url"], Range="bytes=-5").status == 206
    until_sent(clip["key"], [[10, 20], [size - 5, size]])
    assert site.get(clip["url"], Range="bytes=0-9").status == 206
    assert site.get(clip["url"], Range=f"bytes=20-{10 * size}").status == 206
    until_fetched(clip["key"])


def test_who_hangs_up_in_the_middle_was_sent_only_a_part(processes: Processes, tmp_path: Path) -> None:
    study = make_study(now=clock.now(), texts=8, seconds=LONG, protocol__playback="record")
    site = serve(processes, tmp_path / "nginx", study.slug)
    [clip] = site.visitor.begin()["trial"]["clips"]
    cookies = "; ".join(f"{name}={value}" for name, value in site.visitor.browser.cookies.items())
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(("127.0.0.1", site.port))
        client.sendall(f"GET {clip['url']} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookies}\r\n\r\n".encode())
        assert client.recv(12) == b"HTTP/1.1 200"
        time.sleep(1)
        assert (row(clip["key"]).sent, row(clip["key"]).fetched_at) == ([], None), "nothing counts before it is over"
    until(lambda: bool(row(clip["key"]).sent), "the bytes that went out were not counted")
    [[start, stop]] = row(clip["key"]).sent
    assert (start, row(clip["key"]).fetched_at) == (0, None)
    # The system's buffers of both ends, and a piece of nginx's.
    assert 0 < stop < 1 << 20


def test_an_answer_after_a_lost_report_is_refused_until_the_missing_bytes_were_sent_again(
    processes: Processes, tmp_path: Path
) -> None:
    study = make_study(now=clock.now(), texts=8)
    site = serve(processes, tmp_path / "nginx", study.slug)
    shown = site.visitor.begin()
    [clip] = shown["trial"]["clips"]
    size = row(clip["key"]).clip.rendition_bytes
    hidden = SCRATCH / "hidden.socket"
    (SCRATCH / "sent.socket").rename(hidden)
    assert len(site.get(clip["url"]).body) == size
    assert site.post(f"api/played/{clip['key']}", {"tab": shown["tab"]}).status == 204
    # nginx may report a moment after the client has everything.
    time.sleep(1)
    refused = site.answer(shown)
    hidden.rename(SCRATCH / "sent.socket")
    assert refused.status == 425
    assert refused.json()["missing"] == {clip["key"]: [[0, size]]}
    assert Answer.objects.count() == 0
    site.get(clip["url"], Range=f"bytes=0-{size - 1}")
    until_fetched(clip["key"])
    site.post(f"api/played/{clip['key']}", {"tab": shown["tab"]})
    time.sleep(1)
    assert site.answer(shown).status == 200


def test_reports_are_counted_again_after_the_web_server_restarted(processes: Processes, tmp_path: Path) -> None:
    study = make_study(now=clock.now(), texts=8, protocol__playback="record")
    site = serve(processes, tmp_path / "nginx", study.slug)
    [clip] = site.visitor.begin()["trial"]["clips"]
    site.get(clip["url"], Range="bytes=0-9")
    until_sent(clip["key"], [[0, 10]])
    site.web.kill()
    until(lambda: not listens(site.web_port), "the web server is still there")
    address = {"EARSHOT_BASE_URL": f"http://127.0.0.1:{site.port}", "EARSHOT_BEHIND_PROXY": "1"}
    processes.web(site.web_port, **address, EARSHOT_SENDFILE="nginx")
    # The first report after a restart may go to the socket that is gone.
    assert site.get(clip["url"], Range="bytes=10-19").status == 206
    assert site.get(clip["url"], Range="bytes=20-29").status == 206
    until(lambda: [20, 30] in [[max(low, 20), high] for low, high in row(clip["key"]).sent], "nothing is counted")


def test_nobody_can_tell_who_sent_a_clip(processes: Processes, tmp_path: Path) -> None:
    study = make_study(now=clock.now(), texts=8)
    ours = serve(processes, tmp_path / "ours", study.slug, sends=False)
    theirs = serve(processes, tmp_path / "theirs", study.slug, name="another")
    urls = [site.visitor.begin()["trial"]["clips"][0]["url"] for site in (ours, theirs)]
    for headers in (
        {}, {"Range": "bytes=0-1"}, {"Range": "bytes=0-"}, {"Range": "bytes=-7"}, {"Range": "bytes=9999999-"},
        {"Range": "bytes=0-1,5-6"}, {"Range": "lines=1-2"}, {"If_None_Match": "*"}, {"If_Match": '"x"'},
        {"If_Modified_Since": "Tue, 24 Nov 2026 10:00:00 GMT"}, {"Range": "bytes=0-1", "If_Range": '"x"'},
        {"If_Unmodified_Since": "Tue, 24 Nov 2020 10:00:00 GMT"}, {"Accept_Encoding": "gzip"},
    ):  # fmt: skip
        for method in ("GET", "HEAD"):
            one, other = (
                site.get(url, method=method, **headers) for site, url in zip((ours, theirs), urls, strict=True)
            )
            assert one.status == other.status, (method, headers)
            assert len(one.body) == len(other.body)
            assert sorted(each for each in one.headers if each[0] not in {"Date"}) == sorted(
                each for each in other.headers if each[0] not in {"Date"}
            ), (method, headers)


def test_clips_of_every_role_come_with_the_same_headers(processes: Processes, tmp_path: Path) -> None:
    study = make_study(now=clock.now(), texts=8, protocol__playback="record")
    site = serve(processes, tmp_path / "nginx", study.slug)
    shown, seen, roles = site.visitor.begin(), set(), set()
    for _ in range(10):
        [clip] = shown["trial"]["clips"]
        reply = site.get(clip["url"])
        roles.add(row(clip["key"]).clip.role)
        seen.add(tuple(each for each in reply.headers if each[0] != "Date"))
        shown = site.visitor.rate(shown)
    assert len(roles) == 3
    assert len(seen) == 1


def test_a_clip_is_there_for_its_rater_at_its_time_alone(processes: Processes, tmp_path: Path) -> None:
    study = make_study(now=clock.now(), texts=8)
    site = serve(processes, tmp_path / "nginx", study.slug)
    [clip] = site.visitor.begin()["trial"]["clips"]
    assert site.get(clip["url"], stranger=True).status == 404
    trial = row(clip["key"]).trial
    statuses = [
        site.get(clip["url"].replace(clip["key"], later.key)).status
        for later in TrialClip.objects.filter(trial__batch=trial.batch).order_by("trial__position")
    ]
    assert statuses == [200, 200] + [404] * (len(statuses) - 2)
    name = row(clip["key"]).clip.rendition
    for path in (f"/sent-by-nginx/{name}", f"/sent-by-nginx/../sent-by-nginx/{name}", "/sent-by-nginx/"):
        assert site.get(path).status == 404
    # A header of the client's own leads nowhere, and is no report.
    site.get("/livez", X_Accel_Redirect=f"/sent-by-nginx/{name}", X_Earshot_Clip="1 1")
    assert row(clip["key"]).sent in ([], [[0, 0]])

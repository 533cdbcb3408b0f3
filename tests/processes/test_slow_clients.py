"""Clients that send or receive slowly, more of them than there are threads, and everybody else goes on."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from threading import Event, Thread

import pytest

from core import clock
from raters.models import Answer, TrialClip
from studies.models import Study
from tests.processes.visitor import Visitor
from tests.servers import Processes, free_port, until
from tests.world import make_study

pytestmark = pytest.mark.processes
# The server has two processes of eight threads.
MANY = 40
# More than operating systems hold for a client that does not read.
SECONDS = 400.0


def make(seconds: float) -> Study:
    return make_study(now=clock.now(), texts=8, seconds=seconds, protocol__playback="record")


def connect(port: int, beginning: str) -> socket.socket:
    """Return a connection on which the beginning of a request was sent, and which takes in next to nothing."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.connect(("127.0.0.1", port))
    client.sendall(beginning.encode())
    return client


def asking(visitor: Visitor, url: str) -> str:
    """Return the request of a clip by a visitor's browser."""
    cookies = "; ".join(f"{name}={value}" for name, value in visitor.browser.cookies.items())
    return f"GET {url} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookies}\r\n\r\n"


@contextmanager
def trickling(senders: list[socket.socket], readers: list[socket.socket]) -> Iterator[None]:
    """Let each sender send a byte, and each reader read a little, four times a second."""
    over = Event()

    def trickle() -> None:
        while not over.wait(0.25):
            for client in senders:
                with suppress(OSError):
                    client.send(b"a")
            for client in readers:
                with suppress(OSError):
                    client.recv(1024, socket.MSG_DONTWAIT)

    thread = Thread(target=trickle)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@pytest.mark.parametrize("kind", ["headers", "bodies", "readers"])
def test_raters_rate_while_more_clients_are_slow_than_there_are_threads(processes: Processes, kind: str) -> None:
    study, port = make(SECONDS if kind == "readers" else 0.5), free_port()
    processes.web(port)
    slow, quick = (Visitor(f"http://127.0.0.1:{port}", study.slug, name) for name in ("slow", "quick"))
    for visitor in (slow, quick):
        visitor.come()
    shown = slow.begin()
    beginnings = {
        "headers": "GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: a",
        "bodies": f"POST {slow.place}consent/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\n",
        "readers": asking(slow, shown["trial"]["clips"][0]["url"]),
    }
    with ExitStack() as stack:
        clients = [stack.enter_context(connect(port, beginnings[kind])) for _ in range(MANY)]
        stack.enter_context(trickling(*([], clients) if kind == "readers" else (clients, [])))
        time.sleep(1)
        shown = quick.begin()
        for _ in range(3):
            shown = quick.rate(shown)
    assert quick.replies == [200] * 4
    assert quick.browser.resent == 0
    assert Answer.objects.count() == 3


def test_bytes_count_when_they_are_handed_to_the_server_and_those_of_other_ranges_do_not(processes: Processes) -> None:
    study, port = make(SECONDS), free_port()
    server = processes.web(port)
    visitor = Visitor(f"http://127.0.0.1:{port}", study.slug, "slow")
    visitor.come()
    [clip] = visitor.begin()["trial"]["clips"]
    half = f"Range: bytes=0-{int(8000 * SECONDS)}\r\n\r\n"
    row = TrialClip.objects.get(key=clip["key"])
    with connect(port, asking(visitor, clip["url"]).removesuffix("\r\n") + half) as client:
        assert client.recv(12) == b"HTTP/1.1 206"
        until(lambda: row.refresh_from_db() or bool(row.sent), "the bytes were not counted", alive=server)
    assert row.sent == [[0, int(8000 * SECONDS) + 1]]
    assert row.fetched_at is None


def test_what_cannot_be_read_is_refused_and_what_comes_together_is_answered_in_turn(processes: Processes) -> None:
    port = free_port()
    processes.web(port)
    alive = "GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    last = alive.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")
    for sent, statuses in (
        ("NONSENSE\r\n\r\n", [b"400"]),
        (f"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {10**12}\r\n\r\n", [b"413"]),
        (alive + alive.replace("GET", "HEAD") + last, [b"200", b"200", b"200"]),
        ("POST /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n" + last,
         [b"403", b"200"]),
    ):  # fmt: skip
        with connect(port, sent) as client:
            client.settimeout(60)
            came = b"".join(iter(lambda client=client: client.recv(4096), b""))
        assert re.findall(rb"HTTP/1.[01] (\d+)", came) == statuses, sent

"""What a web process does before Django sees a request, and after it has answered."""

from __future__ import annotations

import json
import resource
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from config import web
from launcher import ports
from tests.servers import until

MOST = 1_000_000
LONG = 20 << 20


class Application:
    """Says what it was asked; `/slow` waits until it is told to go on, `/long` answers with many bytes."""

    def __init__(self) -> None:
        self.arrived, self.goes_on = threading.Event(), threading.Event()

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        path = environ["PATH_INFO"]
        if path == "/slow":
            self.arrived.set()
            assert self.goes_on.wait(30)
        fields = {name: value for name, value in environ.items() if name.startswith(("HTTP_", "CONTENT_"))}
        said = {"path": path, "query": environ["QUERY_STRING"], "fields": fields}
        said["body"] = environ["wsgi.input"].read().decode()
        body = b"x" * LONG if path == "/long" else json.dumps(said).encode()
        start("200 OK", [("Content-Length", str(len(body)))])
        return [body]


@contextmanager
def serving(application: Application, *, threads: int = 1, alive: Path | None = None) -> Iterator[web.Process]:
    listener = ports.listen("127.0.0.1", 0)
    process = web.Process(listener, application, threads=threads, longest_body=MOST)
    thread = threading.Thread(target=process.run, args=[alive])
    thread.start()
    try:
        yield process
    finally:
        application.goes_on.set()
        process.stop()
        thread.join(30)
        assert not thread.is_alive()
        process.server.task_dispatcher.shutdown()
        for channel in [*process.server.active_channels.values()]:
            channel.close()
        process.server.close()


@pytest.fixture
def application() -> Application:
    return Application()


@pytest.fixture
def process(application: Application) -> Iterator[web.Process]:
    with serving(application) as process:
        yield process


def connect(process: web.Process) -> socket.socket:
    return socket.create_connection(("127.0.0.1", int(process.server.effective_port)), timeout=20)


def replies(client: socket.socket, count: int = 1) -> list[tuple[int, str]]:
    """Read responses with a length: their statuses and bodies."""
    found = []
    with client.makefile("rb") as file:
        for _ in range(count):
            status = int(file.readline().split()[1])
            length = 0
            while line := file.readline().strip():
                name, _, value = line.partition(b": ")
                length = int(value) if name.lower() == b"content-length" else length
            found.append((status, file.read(length).decode()))
    return found


def ask(process: web.Process, request: bytes) -> tuple[int, str]:
    with connect(process) as client:
        client.sendall(request)
        [reply] = replies(client)
    return reply


def told(process: web.Process, request: bytes) -> dict[str, Any]:
    status, body = ask(process, request)
    assert status == 200, body
    found: dict[str, Any] = json.loads(body)
    return found


POSTED = b"POST / HTTP/1.1\r\nHost: here\r\n"
CHUNKED = POSTED + b"Transfer-Encoding: chunked\r\n"
REFUSED = {
    "nonsense": (b"NONSENSE\r\n\r\n", 400),
    "a TLS hello": (b"\x16\x03\x01\x02\x00\r\n\r\n", 400),
    "a head without end": (b"GET / HTTP/1.1\r\nX: " + b"a" * web.LONGEST_HEAD, 431),
    "a body that is too long": (POSTED + b"Content-Length: %d\r\n\r\n" % (MOST + 1), 413),
    "chunks of nonsense": (CHUNKED + b"\r\nnonsense\r\n", 400),
    "two lengths": (POSTED + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", 400),
    "a length and chunks": (CHUNKED + b"Content-Length: 5\r\n\r\n0\r\n\r\n", 400),
    "a length with a sign": (POSTED + b"Content-Length: +5\r\n\r\nhello", 400),
    "another coding": (POSTED + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
    "a coding that does not end in chunks": (POSTED + b"Transfer-Encoding: gzip\r\n\r\n", 501),
    "chunks in an old version": (CHUNKED.replace(b"1.1", b"1.0") + b"\r\n0\r\n\r\n", 400),
    "a line that ends early": (b"GET / HTTP/1.1\r\nX: a\nHost: b\r\n\r\n", 400),
    "a space before the colon": (b"GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400),
    "a zero byte": (b"GET / HTTP/1.1\r\nX: a\x00b\r\n\r\n", 400),
    "a method in small letters": (b"get / HTTP/1.1\r\nHost: here\r\n\r\n", 400),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_ambiguous_or_would_never_end_is_refused(process: web.Process, name: str) -> None:
    request, status = REFUSED[name]
    assert ask(process, request)[0] == status


@pytest.mark.parametrize(
    ("request_", "status", "code"),
    [
        (POSTED.replace(b"/ ", b"/api/v1/studies ") + b"Content-Length: %d\r\n\r\n" % (MOST + 1), 413, "too_large"),
        (CHUNKED.replace(b"/ ", b"/api/v1/studies ") + b"Content-Length: 5\r\n\r\n", 400, "unreadable"),
    ],
)
def test_programs_are_told_in_json_why_a_request_was_refused(
    process: web.Process, request_: bytes, status: int, code: str
) -> None:
    found, body = ask(process, request_)
    assert (found, json.loads(body)["code"]) == (status, code)


def test_a_proxy_s_fields_reach_django_and_those_spelled_alike_do_not(process: web.Process) -> None:
    request = (
        b"GET /live%20z?a=%20b HTTP/1.1\r\nHost: here\r\nX-Forwarded-For: 192.0.2.1, 192.0.2.2\r\n"
        b"X_Forwarded_For: 192.0.2.3\r\nX-Forwarded-Proto: https\r\nForwarded: for=192.0.2.1\r\nVia: 1.1 proxy\r\n\r\n"
    )
    said = told(process, request)
    assert (said["path"], said["query"]) == ("/live z", "a=%20b")
    assert said["fields"] == {
        "HTTP_HOST": "here",
        "HTTP_X_FORWARDED_FOR": "192.0.2.1, 192.0.2.2",
        "HTTP_X_FORWARDED_PROTO": "https",
        "HTTP_FORWARDED": "for=192.0.2.1",
        "HTTP_VIA": "1.1 proxy",
    }


def test_a_body_in_chunks_reaches_django_with_its_length(process: web.Process) -> None:
    said = told(process, CHUNKED + b"\r\n5;a=b\r\nhello\r\n00A\r\n0123456789\r\n0\r\n\r\n")
    assert (said["body"], said["fields"]["CONTENT_LENGTH"]) == ("hello0123456789", "15")


def test_requests_sent_along_with_the_first_are_answered_in_order_on_one_connection(process: web.Process) -> None:
    with connect(process) as client:
        client.sendall(b"GET /a HTTP/1.1\r\nHost: here\r\n\r\n" + POSTED + b"Content-Length: 5\r\n\r\nhello")
        client.sendall(b"GET /b HTTP/1.1\r\nHost: here\r\n\r\n")
        found = [json.loads(body) for _status, body in replies(client, 3)]
    assert [(each["path"], each["body"]) for each in found] == [("/a", ""), ("/", "hello"), ("/b", "")]


def test_a_body_is_asked_for_where_the_client_waits_to_be_asked(process: web.Process) -> None:
    with connect(process) as client:
        client.sendall(POSTED + b"Expect: 100-continue\r\nContent-Length: 5\r\n\r\n")
        assert client.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(b"hello")
        assert json.loads(replies(client)[0][1])["body"] == "hello"


def test_the_only_thread_waits_neither_for_slow_senders_nor_for_slow_readers(process: web.Process) -> None:
    slow = [connect(process) for _ in range(20)]
    try:
        for number, client in enumerate(slow):
            client.sendall(
                b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nhal" if number % 2 else b"GET /long HTTP/1.1\r\n\r\n"
            )
        assert told(process, b"GET /a HTTP/1.1\r\n\r\n")["path"] == "/a"
        slow[1].sendall(b"f-here")
        assert json.loads(replies(slow[1])[0][1])["body"] == "half-here"
        assert replies(slow[0]) == [(200, "x" * LONG)]
    finally:
        for client in slow:
            client.close()


def test_a_process_that_stops_finishes_what_it_received_and_accepts_no_more(application: Application) -> None:
    listener = ports.listen("127.0.0.1", 0)
    process = web.Process(listener, application, threads=1, longest_body=MOST)
    thread = threading.Thread(target=process.run, args=[None])
    thread.start()
    with connect(process) as client:
        client.sendall(b"GET /slow HTTP/1.1\r\n\r\n")
        assert application.arrived.wait(10)
        process.stop()
        until(lambda: not process.server.accepting, "it goes on accepting")
        assert thread.is_alive()
        application.goes_on.set()
        assert json.loads(replies(client)[0][1])["path"] == "/slow"
    thread.join(10)
    assert not thread.is_alive()
    process.server.close()


def test_a_stopping_process_gives_up_after_a_while(application: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "TO_STOP", 0.3)
    with serving(application) as process, connect(process) as client:
        client.sendall(b"GET /slow HTTP/1.1\r\n\r\n")
        assert application.arrived.wait(10)
        began = time.monotonic()
        process.stop()
        until(lambda: not process.server.accepting, "it goes on accepting")
        assert time.monotonic() - began < 5


def test_a_process_shows_that_it_does_not_hang(application: Application, tmp_path: Path) -> None:
    with serving(application, alive=tmp_path / "alive"):
        until((tmp_path / "alive").exists, "it gives no sign of life")


@pytest.mark.parametrize(
    ("soft", "hard", "raised", "connections"),
    [(256, 100_000, 4000, 1000), (256, 400, 400, 100), (8000, 8000, 8000, 1000)],
)
def test_as_many_connections_are_accepted_as_files_may_be_opened(
    monkeypatch: pytest.MonkeyPatch, soft: int, hard: int, raised: int, connections: int
) -> None:
    limits = [(soft, hard)]
    monkeypatch.setattr(resource, "getrlimit", lambda kind: limits[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda kind, pair: limits.append(pair))
    assert web.most_connections() == connections
    assert limits[-1] == (raised, hard)

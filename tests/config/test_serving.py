"""When a request is whole, and how long a client may take for it."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.serving.arrival import IN_MEMORY, LONGEST_HEAD, MOST_WAITING, Arrivals, RequestRefused
from config.serving.connection import BODY, HEAD, IDLE, SLOWEST, STALLED, Connection

MOST = 10_000_000
GET = b"GET /live%20z?a=%20b HTTP/1.1\r\nHost: here \r\nCookie: a=1\r\ncookie: b=2\r\n\r\n"
POST = b"POST /x HTTP/1.1\r\nhost: here\r\ncontent-length:  5\r\n\r\nhello"
CHUNKS = (
    b"POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n00A\r\n0123456789\r\n0\r\nEnd: 1\r\n\r\n"
)
READ = {
    GET: ("GET", "/live z", "a=%20b", b""),
    POST: ("POST", "/x", "", b"hello"),
    CHUNKS: ("POST", "/x", "", b"hello0123456789"),
}


def pieces(data: bytes, cuts: list[int]) -> Iterator[bytes]:
    places = sorted({0, len(data), *(cut % len(data) for cut in cuts)})
    yield from (data[low:high] for low, high in pairwise(places))


def refusal(data: bytes, most: int = MOST) -> int:
    """Return the status with which what a client sent is refused."""
    with pytest.raises(RequestRefused) as refused:
        Arrivals(most).take(data)
    return refused.value.status


@given(st.sampled_from([GET, POST, CHUNKS]), st.lists(st.integers(0, 1000)))
def test_a_request_is_whole_at_its_last_byte_however_it_is_cut(request: bytes, cuts: list[int]) -> None:
    arrivals = Arrivals(MOST)
    *before, last = pieces(request, cuts)
    for piece in before:
        arrivals.take(piece)
        assert not arrivals.current.is_whole
    arrivals.take(last + b"GET /next")
    current = arrivals.current
    assert current.is_whole
    about = (current.environ[name] for name in ("REQUEST_METHOD", "PATH_INFO", "QUERY_STRING"))
    assert (*about, current.body.read()) == READ[request]
    assert not arrivals.next().is_whole
    arrivals.take(b"?b HTTP/1.0\r\n\r\n")
    assert (arrivals.current.uri, arrivals.current.version) == ("/next?b", (1, 0))


def test_fields_of_a_head_reach_the_application_by_their_names_and_repeated_ones_together() -> None:
    arrivals = Arrivals(MOST)
    arrivals.take(GET)
    fields = {name: value for name, value in arrivals.current.environ.items() if name.startswith("HTTP_")}
    assert fields == {"HTTP_HOST": "here", "HTTP_COOKIE": "a=1,b=2"}


def test_a_field_whose_name_has_another_spelling_of_the_same_meaning_is_dropped() -> None:
    arrivals = Arrivals(MOST)
    arrivals.take(b"GET / HTTP/1.1\r\nX-Forwarded-For: 192.0.2.1\r\nX_Forwarded_For: 192.0.2.2\r\n\r\n")
    assert arrivals.current.environ["HTTP_X_FORWARDED_FOR"] == "192.0.2.1"


def test_a_body_in_chunks_has_a_length_once_it_is_whole() -> None:
    arrivals = Arrivals(MOST)
    arrivals.take(CHUNKS)
    assert arrivals.current.environ["CONTENT_LENGTH"] == "15"
    assert "HTTP_END" not in arrivals.current.environ


def test_a_long_request_waits_on_the_disk() -> None:
    body = bytes(range(256)) * (IN_MEMORY // 128)
    arrivals = Arrivals(MOST)
    arrivals.take(b"PUT / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body))
    for at in range(0, len(body), 1000):
        arrivals.take(body[at : at + 1000])
    assert arrivals.current.is_whole
    assert arrivals.current.body.fileno()
    assert arrivals.current.body.read() == body
    arrivals.current.discard()


POSTED = b"POST / HTTP/1.1\r\nHost: here\r\n"
CHUNKED = POSTED + b"Transfer-Encoding: chunked\r\n"
REFUSED = {
    "a head without end": (b"GET / HTTP/1.1\r\nX: " + b"a" * LONGEST_HEAD, 431),
    "too many fields": (b"GET / HTTP/1.1\r\n" + b"X: a\r\n" * 101 + b"\r\n", 431),
    "a long address": (b"GET /%s HTTP/1.1\r\n\r\n" % (b"a" * 5000), 414),
    "a body that is too long": (POSTED + b"Content-Length: %d\r\n\r\n" % (MOST + 1), 413),
    "chunks of nonsense": (CHUNKED + b"\r\nnonsense\r\n", 400),
    "a line without end": (CHUNKED + b"\r\n" + b"1" * 5000, 400),
    "fields without end behind chunks": (CHUNKED + b"\r\n0\r\nX: " + b"a" * LONGEST_HEAD, 431),
    "two lengths": (POSTED + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", 400),
    "a length and chunks": (CHUNKED + b"Content-Length: 5\r\n\r\n0\r\n\r\n", 400),
    "a length with a sign": (POSTED + b"Content-Length: +5\r\n\r\nhello", 400),
    "another coding": (POSTED + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
    "a coding that does not end in chunks": (POSTED + b"Transfer-Encoding: gzip\r\n\r\n", 501),
    "chunks in an old version": (CHUNKED.replace(b"1.1", b"1.0") + b"\r\n0\r\n\r\n", 501),
    "two hosts": (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
    "a folded line": (b"GET / HTTP/1.1\r\nX: a\r\n b\r\n\r\n", 400),
    "a line that ends early": (b"GET / HTTP/1.1\r\nX: a\nHost: b\r\n\r\n", 400),
    "a space before the colon": (b"GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400),
    "a zero byte": (b"GET / HTTP/1.1\r\nX: a\x00b\r\n\r\n", 400),
    "an address that is not ASCII": (b"GET /\xc3\xa4 HTTP/1.1\r\n\r\n", 400),
    "an address with a host": (b"GET http://here/ HTTP/1.1\r\nHost: there\r\n\r\n", 400),
    "a tunnel": (b"CONNECT here:443 HTTP/1.1\r\n\r\n", 400),
    "another version": (b"GET / HTTP/2.0\r\n\r\n", 400),
    "an unknown method": (b"FETCH / HTTP/1.1\r\n\r\n", 400),
    "an unknown expectation": (POSTED + b"Expect: more\r\nContent-Length: 5\r\n\r\n", 417),
    "a body of another protocol": (
        POSTED + b"Connection: upgrade\r\nUpgrade: h2c\r\nContent-Length: 5\r\n\r\nhello",
        400,
    ),
    "a TLS hello": (b"\x16\x03\x01\x02\x00", 400),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_ambiguous_or_would_never_end_is_refused(name: str) -> None:
    request, status = REFUSED[name]
    assert refusal(request) == status


def test_chunks_beyond_the_limit_are_refused() -> None:
    arrivals = Arrivals(20)
    arrivals.take(CHUNKED + b"\r\n")
    with pytest.raises(RequestRefused):
        arrivals.take(b"16\r\n0123456789abcdef012345\r\n")


def test_a_body_in_the_smallest_chunks_is_no_head_without_end() -> None:
    arrivals = Arrivals(MOST)
    arrivals.take(CHUNKED + b"\r\n")
    for _ in range(LONGEST_HEAD // 6):
        arrivals.take(b"1\r\na\r\n" * 2)
    arrivals.take(b"0\r\n\r\n")
    assert arrivals.current.body_bytes == LONGEST_HEAD // 6 * 2


def test_few_requests_may_wait_on_one_connection_and_more_end_it() -> None:
    few, many = Arrivals(MOST), Arrivals(MOST)
    few.take(GET * (MOST_WAITING + 1))
    assert not few.current.should_close()
    many.take(GET * 1000)
    assert many.current.should_close()
    assert len(many.requests) == MOST_WAITING + 1


@pytest.mark.parametrize(
    ("request_", "closes"),
    [
        (GET, False),
        (GET.replace(b"1.1", b"1.0"), True),
        (GET.replace(b"1.1\r\n", b"1.0\r\nConnection: keep-alive\r\n"), False),
        (GET.replace(b"1.1\r\n", b"1.1\r\nConnection: close\r\n"), True),
        (GET.replace(b"1.1\r\n", b"1.1\r\nConnection: upgrade\r\nUpgrade: h2c\r\n"), True),
        (GET + b"nonsense\r\n\r\n", True),
    ],
    ids=[
        "a new version",
        "an old one",
        "kept in an old one",
        "asked for",
        "another protocol follows",
        "nonsense follows",
    ],
)
def test_a_connection_ends_with_its_request_where_nothing_can_follow(request_: bytes, closes: bool) -> None:
    arrivals = Arrivals(MOST)
    arrivals.take(request_)
    assert arrivals.current.is_whole
    assert arrivals.current.should_close() is closes


@pytest.fixture
def ends() -> Iterator[tuple[Connection, socket.socket]]:
    """Yield the server's and the client's end of a connection."""
    ours, theirs = socket.socketpair()
    connection = Connection(ours, {}, MOST)
    with theirs:
        yield connection, theirs
    connection.close()


@pytest.mark.parametrize(
    ("sent", "seconds"),
    [
        (b"", HEAD),
        (b"GET / HTTP/1.1\r\nHo", HEAD),
        (b"POST / HTTP/1.1\r\nContent-Length: 9999\r\n\r\n", BODY),
        (b"POST / HTTP/1.1\r\nContent-Length: 9999\r\n\r\n" + b"a" * 1000, BODY + 1000 / SLOWEST),
    ],
    ids=["a client that says nothing", "half a head", "no body", "a slow body"],
)
def test_a_client_may_take_so_long_and_no_longer(
    ends: tuple[Connection, socket.socket], sent: bytes, seconds: float
) -> None:
    connection, client = ends
    if sent:
        client.sendall(sent)
        assert not connection.receive()
    assert not connection.is_late(connection.since + seconds - 0.1)
    assert connection.is_late(connection.since + seconds + 0.1)


def test_a_head_that_trickles_does_not_get_more_time_with_each_byte(ends: tuple[Connection, socket.socket]) -> None:
    connection, client = ends
    client.sendall(b"GET / HTTP/1.1\r\nHo")
    connection.receive()
    began = connection.since
    client.sendall(b"st")
    connection.receive()
    assert connection.since == began


def test_an_open_connection_may_stay_idle_for_longer(ends: tuple[Connection, socket.socket]) -> None:
    connection, client = ends
    client.sendall(GET)
    assert connection.receive()
    assert not connection.next()
    assert not connection.is_late(connection.since + IDLE - 0.1)
    assert connection.is_late(connection.since + IDLE + 0.1)


def test_what_a_client_does_not_take_waits_and_is_sent_in_order(ends: tuple[Connection, socket.socket]) -> None:
    connection, client = ends
    wanted = bytes(range(256)) * 40_000
    connection.sendall(b"head:")
    connection.sendall(wanted)
    assert not connection.flush()
    assert connection.is_late(connection.since + STALLED + 0.1)
    came = b""
    while len(came) < len(wanted) + 5:
        connection.flush()
        came += client.recv(1 << 20)
    assert came == b"head:" + wanted
    assert connection.flush()


def test_a_body_is_asked_for_where_the_client_waits_to_be_asked(ends: tuple[Connection, socket.socket]) -> None:
    connection, client = ends
    client.sendall(b"PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
    assert not connection.receive()
    assert client.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
    client.sendall(b"hello")
    assert connection.receive()


def test_a_second_request_sent_along_with_the_first_waits_for_its_turn(ends: tuple[Connection, socket.socket]) -> None:
    connection, client = ends
    client.sendall(GET + POST)
    assert connection.receive()
    assert connection.request.method == "GET"
    assert not connection.is_done
    assert connection.next()
    assert connection.request.body.read() == b"hello"
    assert connection.is_done
    assert not connection.next()

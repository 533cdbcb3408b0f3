"""When a request is whole, and how long a client may take for it."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.serving.arrival import IN_MEMORY, LONGEST_HEAD, IncomingRequest, RequestRefused
from config.serving.connection import BODY, HEAD, IDLE, SLOWEST, STALLED, Connection

MOST = 10_000_000
GET = b"GET /livez HTTP/1.1\r\nHost: here\r\n\r\n"
POST = b"POST /x HTTP/1.1\r\nhost: here\r\ncontent-length:  5\r\n\r\nhello"
CHUNKS = (
    b"POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n00A\r\n0123456789\r\n0\r\nEnd: 1\r\n\r\n"
)


def pieces(data: bytes, cuts: list[int]) -> Iterator[bytes]:
    places = sorted({0, len(data), *(cut % len(data) for cut in cuts)})
    yield from (data[low:high] for low, high in pairwise(places))


@given(st.sampled_from([GET, POST, CHUNKS]), st.lists(st.integers(0, 1000)))
def test_a_request_is_whole_at_its_last_byte_however_it_is_cut(request: bytes, cuts: list[int]) -> None:
    arrival = IncomingRequest(MOST)
    *before, last = pieces(request, cuts)
    for piece in before:
        assert arrival.take(piece) == b""
        assert not arrival.is_whole
    assert arrival.take(last + b"GET /next") == b"GET /next"
    assert arrival.is_whole
    assert arrival.read_as_file().read() == request


def test_a_long_request_waits_on_the_disk() -> None:
    body = b"x" * (2 * IN_MEMORY)
    arrival = IncomingRequest(MOST)
    arrival.take(b"PUT / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body))
    for at in range(0, len(body), 1000):
        arrival.take(body[at : at + 1000])
    assert arrival.is_whole
    assert not arrival.buffer
    assert arrival.read_as_file().read().endswith(body)
    arrival.discard()


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET / HTTP/1.1\r\nX: " + b"a" * LONGEST_HEAD, 431),
        (b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % (MOST + 1), 413),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n", 400),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1" * 5000, 400),
    ],
    ids=["a head without end", "a body that is too long", "chunks of nonsense", "a line without end"],
)
def test_what_would_never_end_is_refused(request_: bytes, status: int) -> None:
    with pytest.raises(RequestRefused) as refused:
        IncomingRequest(MOST).take(request_)
    assert refused.value.status == status


def test_chunks_beyond_the_limit_are_refused() -> None:
    arrival = IncomingRequest(20)
    arrival.take(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
    with pytest.raises(RequestRefused):
        arrival.take(b"10\r\n0123456789abcdef\r\n")


@pytest.fixture
def ends() -> Iterator[tuple[Connection, socket.socket]]:
    """Yield the server's and the client's end of a connection."""
    ours, theirs = socket.socketpair()
    connection = Connection(ours, "", "", MOST)
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
    assert connection.recv(1000) == GET
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
    assert connection.recv(1000) == GET
    assert connection.recv(1000) == b""
    assert connection.next()
    assert connection.recv(1000) == POST

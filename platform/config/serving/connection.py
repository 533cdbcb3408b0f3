"""One client's connection: the request that comes, the response that goes, and how long each may take."""

from __future__ import annotations

import contextvars
import socket
import time
from collections import deque
from collections.abc import Iterator
from io import BytesIO
from typing import IO, Any

from config.serving.arrival import IncomingRequest, RequestRefused

PIECE = 64 * 1024
# Seconds: from a request's first byte to the end of its head; for the next request on an open connection; without
# progress while a response goes; for the client to hang up after the last response.
HEAD, IDLE, STALLED, FAREWELL = 10.0, 75.0, 60.0, 2.0
# A body may take ten seconds, and as many more as this many bytes a second need.
BODY, SLOWEST = 10.0, 500
# "Sent" shall mean on its way: no more than this waits unsent in the operating system.
UNSENT = 128 * 1024
OPTION = getattr(socket, "TCP_NOTSENT_LOWAT", None)


class Connection:
    """Held by one thread at a time: the loop while it waits for the client, a request thread while it is answered.

    To gunicorn's parser and response it is the socket: they read the request from it, which is all there, and write
    to it, which never waits.
    """

    def __init__(self, sock: socket.socket, client: Any, server: Any, most: int) -> None:
        self.sock, self.client, self.server, self.most = sock, client, server, most
        self.arrival = IncomingRequest(most)
        self.since = time.monotonic()
        self.is_new, self.is_leaving, self.closes = True, False, False
        # What came behind the request that is being answered.
        self.rest = b""
        self.request: IO[bytes] = BytesIO()
        self.outbox: deque[memoryview] = deque()
        # Gunicorn's request and response, what the application returned, and the pieces that it has yet to make.
        self.parsed: Any = None
        self.response: Any = None
        self.result: Any = None
        self.chunks: Iterator[bytes] | None = None
        self.context: contextvars.Context | None = None
        sock.setblocking(False)
        if sock.family != socket.AF_UNIX:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if OPTION is not None:
                sock.setsockopt(socket.IPPROTO_TCP, OPTION, UNSENT)

    def fileno(self) -> int:
        return self.sock.fileno()

    def receive(self) -> bool:
        """Take in what came, and say whether a request is whole; raises `OSError` when the client is gone."""
        try:
            data = self.sock.recv(PIECE)
        except BlockingIOError:
            return False
        if not data:
            raise ConnectionResetError
        return self.take(data)

    def take(self, data: bytes) -> bool:
        """Add to the request that is coming, and say whether it is whole; raises `RequestRefused`."""
        had_head = self.arrival.body is not None
        if not had_head and not self.arrival.buffer:
            self.since = time.monotonic()
        self.is_new = False
        self.rest = self.arrival.take(data)
        if self.arrival.body is not None and not had_head:
            self.since = time.monotonic()
            if self.arrival.expects_go_ahead and not self.arrival.is_whole:
                self.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
                self.flush()
        if self.arrival.is_whole:
            self.request = self.arrival.read_as_file()
        return self.arrival.is_whole

    def next(self) -> bool:
        """Begin with the next request, and say whether it is there already."""
        self.arrival.discard()
        self.arrival, self.since = IncomingRequest(self.most), time.monotonic()
        self.parsed = self.response = self.result = self.chunks = self.context = None
        return bool(self.rest) and self.take(self.rest)

    def refuse(self, refused: RequestRefused) -> None:
        """Answer a request that was not read to its end; the connection ends with it."""
        self.outbox.clear()
        self.sendall(
            f"HTTP/1.1 {refused.status} {refused.reason}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()
        )
        self.closes = True

    def is_late(self, now: float) -> bool:
        """Say whether the client took longer than it may for what is expected of it."""
        waited = now - self.since
        if self.is_leaving:
            return waited > FAREWELL
        if self.outbox:
            return waited > STALLED
        if self.arrival.body is not None:
            return waited > BODY + self.arrival.body_bytes / SLOWEST
        return waited > (HEAD if self.is_arriving or self.is_new else IDLE)

    @property
    def is_arriving(self) -> bool:
        """Say whether a part of a request came."""
        return bool(self.arrival.buffer) or self.arrival.body is not None

    def flush(self) -> bool:
        """Send what the client takes, and say whether that was everything; raises `OSError` when it is gone."""
        while self.outbox:
            data = self.outbox[0] if len(self.outbox) == 1 else memoryview(b"".join(self.outbox))
            self.outbox.clear()
            try:
                sent = self.sock.send(data)
            except BlockingIOError:
                sent = 0
            if sent:
                self.since = time.monotonic()
            if sent < len(data):
                self.outbox.append(data[sent:])
                if not sent:
                    return False
        return True

    def leave(self) -> None:
        """Say that nothing more comes, and wait for the client to hang up: what it still sends would cut it off."""
        self.is_leaving, self.since = True, time.monotonic()
        self.sock.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        self.arrival.discard()
        self.outbox.clear()
        self.sock.close()

    # What gunicorn asks of a socket.

    def recv(self, size: int) -> bytes:
        return self.request.read(size)

    def sendall(self, data: bytes) -> None:
        self.outbox.append(memoryview(data))

    def send(self, data: bytes) -> int:
        """Drop gunicorn's go-ahead for a body: it was given before the body came."""
        return len(data)

    def gettimeout(self) -> float:
        return 0.0

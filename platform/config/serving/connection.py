"""One client's connection: its incoming request, its outgoing response, and their time limits."""

from __future__ import annotations

import contextvars
import socket
import time
from collections import deque
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import IO, Any

from config.serving.arrival import IncomingRequest, RequestRefused

PIECE = 64 * 1024
# Seconds: from a request's first byte to the end of its head; for the next request on an open connection; without
# progress while a response goes; for the client to hang up after the last response.
HEAD, IDLE, STALLED, FAREWELL = 10.0, 75.0, 60.0, 2.0
# A body may take ten seconds, and as many more as this many bytes a second need.
BODY, SLOWEST = 10.0, 500
# At most this many bytes wait unsent in the operating system, so that "sent" means on its way.
UNSENT = 128 * 1024
OPTION = getattr(socket, "TCP_NOTSENT_LOWAT", None)


class Connection:
    """A connection, used by one thread at a time: the loop while it waits for the client, a request thread for answers.

    Gunicorn's parser and response use it as a socket: the request is complete, and writing never waits.
    """

    def __init__(self, sock: socket.socket, client: Any, server: Any, most: int) -> None:
        self.sock, self.client, self.server, self.most = sock, client, server, most
        self.arrival = IncomingRequest(most)
        self.since = time.monotonic()
        self.is_new, self.is_leaving, self.closes = True, False, False
        # Bytes after the request that is being answered.
        self.rest = b""
        self.request: IO[bytes] = BytesIO()
        self.outbox: deque[memoryview] = deque()
        # Gunicorn's request and response, what the application returned, and the pieces that it has yet to make.
        self.parsed: Any = None
        self.response: Any = None
        self.result: Any = None
        self.chunks: Iterator[bytes] | None = None
        self.context: contextvars.Context | None = None
        # What the loop does at the next event; None while a request thread has the connection.
        self.handler: Callable[[Connection], None] | None = None
        sock.setblocking(False)
        if sock.family != socket.AF_UNIX:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if OPTION is not None:
                sock.setsockopt(socket.IPPROTO_TCP, OPTION, UNSENT)

    def fileno(self) -> int:
        return self.sock.fileno()

    def receive(self) -> bool:
        """Read what was received; return whether a request is complete; raise `OSError` when the client is gone."""
        try:
            data = self.sock.recv(PIECE)
        except BlockingIOError:
            return False
        if not data:
            raise ConnectionResetError
        return self.take(data)

    def take(self, data: bytes) -> bool:
        """Add bytes to the incoming request; return whether it is complete; raise `RequestRefused`."""
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
        """Start the next request; return whether it is already complete."""
        self.arrival.discard()
        self.arrival, self.since = IncomingRequest(self.most), time.monotonic()
        self.parsed = self.response = self.result = self.chunks = self.context = None
        return bool(self.rest) and self.take(self.rest)

    def refuse(self, error: RequestRefused) -> None:
        """Answer a request that was not read to its end, and close the connection."""
        self.outbox.clear()
        self.sendall(
            f"HTTP/1.1 {error.status} {error.reason}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()
        )
        self.closes = True

    def is_late(self, now: float) -> bool:
        """Return whether the client exceeded the time limit for its current step."""
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
        """Return whether part of a request was received."""
        return bool(self.arrival.buffer) or self.arrival.body is not None

    @property
    def is_done(self) -> bool:
        """Return whether the response was sent and nothing is left to do but to wait for the next request."""
        return not (self.closes or self.outbox or self.rest or self.chunks is not None)

    def flush(self) -> bool:
        """Send what the client accepts; return whether that was everything; raise `OSError` when it is gone."""
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
        """Stop sending and wait until the client closes: closing first could lose the response if it still sends."""
        self.is_leaving, self.since = True, time.monotonic()
        self.sock.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        self.arrival.discard()
        self.outbox.clear()
        self.sock.close()

    # The methods of a socket that gunicorn uses.

    def recv(self, size: int) -> bytes:
        return self.request.read(size)

    def sendall(self, data: bytes) -> None:
        self.outbox.append(memoryview(data))

    def send(self, data: bytes) -> int:
        """Drop gunicorn's "100 Continue": the client got it before it sent the body."""
        return len(data)

    def gettimeout(self) -> float:
        return 0.0

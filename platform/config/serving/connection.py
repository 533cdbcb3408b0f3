"""One client's connection: its incoming request, its outgoing response, and their time limits."""

from __future__ import annotations

import contextvars
import json
import socket
import time
from collections import deque
from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import Any

from config.serving.arrival import Arrivals, IncomingRequest, RequestRefused

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

    Gunicorn's response uses it as a socket: writing never waits.
    """

    def __init__(self, sock: socket.socket, environ: dict[str, str], most: int) -> None:
        """Take a client; `environ` is what the application gets to know of it, `most` the longest body in bytes."""
        self.sock, self.environ = sock, environ
        self.arrivals = Arrivals(most)
        self.since = time.monotonic()
        self.is_new, self.is_leaving, self.closes = True, False, False
        self.outbox: deque[memoryview] = deque()
        # Gunicorn's response, what the application returned, and the pieces that it has yet to make.
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

    @property
    def request(self) -> IncomingRequest:
        """Return the request that is answered, or that arrives."""
        return self.arrivals.current

    def take(self, data: bytes) -> bool:
        """Add bytes to the incoming request; return whether it is complete; raise `RequestRefused`."""
        request = self.request
        had_head = request.has_head
        if not request.received:
            self.since = time.monotonic()
        self.is_new = False
        self.arrivals.take(data)
        if request.has_head and not had_head:
            self.since = time.monotonic()
            if request.expects_go_ahead and not request.is_whole:
                self.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
                self.flush()
        return request.is_whole

    def next(self) -> bool:
        """Start the next request; return whether it is already complete."""
        self.since = time.monotonic()
        self.response = self.result = self.chunks = self.context = None
        return self.arrivals.next().is_whole

    def refuse(self, error: RequestRefused) -> None:
        """Answer a request that was not read to its end, and close the connection."""
        self.outbox.clear()
        body, content_type = b"", ""
        if self.request.target.startswith(b"/api/"):
            code = "too_large" if error.status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE else "unreadable"
            body = json.dumps({"code": code, "message": f"{error.reason}.", "errors": []}).encode()
            content_type = "Content-Type: application/json\r\n"
        head = f"HTTP/1.1 {error.status} {error.reason}\r\nContent-Length: {len(body)}\r\n{content_type}"
        self.sendall(f"{head}Connection: close\r\n\r\n".encode() + body)
        self.closes = True

    def is_late(self, now: float) -> bool:
        """Return whether the client exceeded the time limit for its current step."""
        waited = now - self.since
        if self.is_leaving:
            return waited > FAREWELL
        if self.outbox:
            return waited > STALLED
        if self.request.has_head:
            return waited > BODY + self.request.body_bytes / SLOWEST
        return waited > (HEAD if self.is_arriving or self.is_new else IDLE)

    @property
    def is_arriving(self) -> bool:
        """Return whether part of a request was received."""
        return bool(self.request.received)

    @property
    def is_done(self) -> bool:
        """Return whether the response was sent and nothing is left to do but to wait for the next request."""
        return not (self.closes or self.outbox or len(self.arrivals.requests) > 1 or self.chunks is not None)

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
        for request in self.arrivals.requests:
            request.discard()
        self.outbox.clear()
        self.sock.close()

    # The methods of a socket that gunicorn's response uses.

    def sendall(self, data: bytes) -> None:
        self.outbox.append(memoryview(data))

    def gettimeout(self) -> float:
        return 0.0

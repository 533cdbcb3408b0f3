"""One web process: Waitress answers at a socket that the launcher opened (`launcher.listening`).

Waitress reads whole requests and sends responses in parallel to its threads, so no slow client occupies one. Several
such processes share the socket; the launcher starts them, and restarts one that died or hangs.
"""

from __future__ import annotations

import gc
import json
import logging
import os
import resource
import signal
import socket
import sys
import time
from http import HTTPStatus
from pathlib import Path
from typing import Any

from django.utils.module_loading import import_string
from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import TcpWSGIServer, create_server
from waitress.task import ErrorTask

# Seconds that a stopping process has to answer what it received and to send what it answered.
TO_STOP = 8.0
# Seconds between two signs of life.
ALIVE = 5.0
# Connections of one process; each may have two files besides, for what is received and what is sent.
CONNECTIONS, FILES_EACH = 1000, 3
# Seconds an unused connection stays open: longer than at Caddy and nginx (120 and 60 s), or these would send requests
# on connections that are being closed.
UNUSED = 150
# Bytes of a connection that are kept in memory; more waits in a file.
RECEIVED, SENT = 64 << 10, 256 << 10
# A thread waits while a client has this many bytes to take: more than the longest rendition (180 s at 48 kHz).
MOST_UNSENT = 32 << 20
LONGEST_HEAD = 64 << 10
# For the form fields around the largest archive.
MARGIN = 1 << 20


class Parser(HTTPRequestParser):
    """Refuses requests that two servers could end at different places."""

    def parse_header(self, header_plus: bytes) -> None:
        super().parse_header(header_plus)
        if "TRANSFER_ENCODING" in self.headers or (self.chunked and "CONTENT_LENGTH" in self.headers):
            raise ParsingError("The end of the request is ambiguous")


class Refusal(ErrorTask):
    """Tells programs in JSON why a request was refused before Django saw it, as Django does."""

    def execute(self) -> None:
        if not getattr(self.request, "path", "").startswith("/api/"):
            super().execute()
            return
        request: Any = self.request
        error = request.error
        code = "too_large" if error.code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE else "unreadable"
        body = json.dumps({"code": code, "message": f"{error.reason}.", "errors": []}).encode()
        self.status = f"{error.code} {error.reason}"
        self.response_headers = [("Content-Type", "application/json")]
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class Channel(HTTPChannel):
    """A connection."""

    parser_class = Parser
    error_task_class = Refusal


class Process:
    """This process's server, its connections, and whether it was asked to stop."""

    def __init__(self, listener: socket.socket, application: Any, *, threads: int, longest_body: int) -> None:
        # Sockets by their number, the server's among them.
        self.connections: dict[int, Any] = {}
        server: Any = create_server(
            application, map=self.connections, sockets=[listener],
            threads=threads,
            connection_limit=most_connections(),
            channel_timeout=UNUSED, cleanup_interval=10,
            recv_bytes=RECEIVED, inbuf_overflow=RECEIVED, outbuf_overflow=SENT, outbuf_high_watermark=MOST_UNSENT,
            max_request_header_size=LONGEST_HEAD,
            max_request_body_size=longest_body,
            # Django reads them if EARSHOT_BEHIND_PROXY allows it.
            clear_untrusted_proxy_headers=False,
            # A client that hangs up is no error.
            log_socket_errors=False,
            ident="",
            server_name=str(listener.getsockname()[0]),
        )  # fmt: skip
        server.channel_class = Channel
        self.server: TcpWSGIServer = server
        self.is_stopping = False

    def stop(self, *_: Any) -> None:
        """Stop soon; a signal calls this."""
        self.is_stopping = True
        self.server.pull_trigger()

    def run(self, alive: Path | None) -> None:
        """Serve until asked to stop, then finish what was begun."""
        touched = 0.0
        while not self.is_stopping:
            self.turn(1.0)
            if alive is not None and time.monotonic() - touched > ALIVE:
                touched = time.monotonic()
                alive.touch()
        self.server.accepting = False
        end = time.monotonic() + TO_STOP
        while self.is_busy and time.monotonic() < end:
            self.turn(0.1)

    def turn(self, seconds: float) -> None:
        """Receive and send what is possible; wait up to `seconds` for work."""
        wasyncore.loop(seconds, use_poll=True, map=self.connections, count=1)

    @property
    def is_busy(self) -> bool:
        """True while a request is arriving or being answered, or a response is not fully sent."""
        channels: Any = self.server.active_channels
        return any(each.request or each.requests or each.total_outbufs_len for each in [*channels.values()])


def most_connections() -> int:
    """Raise this process's limit of open files as far as possible; return how many connections it allows."""
    wanted = CONNECTIONS * (1 + FILES_EACH)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        soft = most
    return CONNECTIONS if soft == resource.RLIM_INFINITY else min(CONNECTIONS, soft // (1 + FILES_EACH))


def settle() -> None:
    """Stop before the first request if keys or tables don't match; start what runs for the life of the process."""
    from core.operations.starting import require_if_reachable

    require_if_reachable()
    # Otherwise the first rater who finishes a batch in this process waits for these imports.
    import kombu.transport.redis  # noqa: F401
    from celery import current_app

    _ = current_app.amqp.producer_pool
    # Loaded modules stay, so the garbage collector need not look at them again.
    gc.collect()
    gc.freeze()


def main() -> None:
    """Serve the WSGI application named on the command line; without one, Earshot's."""
    listener = socket.socket(fileno=int(os.environ["LAUNCHER_SOCKET"]))
    module = sys.argv[1] if len(sys.argv) > 1 else "config.wsgi"
    application = import_string(f"{module}.application")
    from django.conf import settings

    settle()
    # Requests that wait for a thread are usual under load.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    longest = (settings.UPLOAD_LIMIT_MB << 20) + MARGIN
    process = Process(listener, application, threads=settings.WEB_THREADS, longest_body=longest)
    signal.signal(signal.SIGTERM, process.stop)
    # Ctrl-C reaches the launcher too, which stops each process in turn.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    alive = os.environ.get("LAUNCHER_ALIVE")
    process.run(Path(alive) if alive else None)


if __name__ == "__main__":
    main()

"""A gunicorn worker for slow clients: one loop receives and sends, and a request is answered once it is complete.

The loop's thread answers raters, whose requests are short, and request threads everybody else and whatever turns out to
take long (`config.serving.threads`). The application makes the response in pieces; a thread is busy while it makes a
piece, not while the client receives it. Connections of clients that take too long are closed.
"""

from __future__ import annotations

import contextvars
import math
import os
import queue
import resource
import selectors
import socket
import sys
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from ipaddress import ip_address
from typing import Any

from django.conf import settings
from django.db import close_old_connections
from django.db import connection as database
from gunicorn.http import wsgi  # type: ignore[import-untyped]
from gunicorn.workers import base  # type: ignore[import-untyped]

from config.serving import reports
from config.serving.arrival import RequestRefused
from config.serving.connection import PIECE, Connection
from config.serving.threads import PATIENCE, RequestThreads, StandIn

# Seconds between two checks for late clients.
SWEEP = 1.0
# Seconds that a stopping process keeps idle connections: a request may be on its way.
LINGER = 2.0
# Seconds for which the loop's thread keeps its database connection from request to request.
KEPT = 60.0
# For the form fields around the largest archive.
MARGIN = 1 << 20
# Raters' pages and what these ask for: the loop's thread answers them.
SHORT = ("/rate/", "/s/")


class Blocks(wsgi.FileWrapper):  # type: ignore[misc]  # gunicorn has no types
    """A file in pieces of one size, whatever size the application asks for."""

    def __init__(self, filelike: Any, blksize: int = PIECE) -> None:
        super().__init__(filelike, PIECE)


class Worker(base.Worker):  # type: ignore[misc]  # gunicorn has no types
    """One web process."""

    alive: bool

    def init_process(self) -> None:
        self.most = (settings.UPLOAD_LIMIT_MB << 20) + MARGIN
        self.selector = selectors.DefaultSelector()
        self.connections: set[Connection] = set()
        # The loop's thread is one of them.
        self.threads = RequestThreads(max(1, self.cfg.threads - 1), self.log)
        # What is to be done next, and whether it takes no time as a rule.
        self.tasks: deque[tuple[bool, Callable[[], object]]] = deque()
        self.stand_in = StandIn(self.stand_in_turn, lambda: bool(self.tasks))
        self.swept = time.monotonic()
        self.answered: queue.SimpleQueue[Connection] = queue.SimpleQueue()
        self.accepts = False
        self.room = room(self.cfg.worker_connections)
        # Or gunicorn looks each one up in its table of settings, some twenty for a request.
        self.cfg.__dict__.update({name: getattr(self.cfg, name) for name in self.cfg.settings})
        self.environ = {
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "http",
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": True,
            "wsgi.multiprocess": self.cfg.workers > 1,
            "wsgi.run_once": False,
            "wsgi.file_wrapper": Blocks,
            "SCRIPT_NAME": "",
        }
        super().init_process()

    def run(self) -> None:
        """Serve until asked to stop, then finish open requests within gunicorn's time limit."""
        self.selector.register(self.PIPE[0], selectors.EVENT_READ, self.wake)
        if reports.listener is not None:
            self.selector.register(reports.listener, selectors.EVENT_READ, self.take_reports)
        database.kept_for = KEPT  # type: ignore[attr-defined]
        end = math.inf
        with self.stand_in.lead:
            while self.alive or (self.connections and time.monotonic() < end):
                if not self.alive and end == math.inf:
                    end = time.monotonic() + self.cfg.graceful_timeout
                self.turn(SWEEP)
                while self.tasks:
                    self.do(*self.tasks.popleft())
            self.accept_while(False)
            for connection in [*self.connections]:
                self.drop(connection)

    def turn(self, longest: float) -> None:
        """Wait for clients, at most so many seconds, and receive and send what can be; nothing else waits here."""
        self.accept_while(self.alive and len(self.connections) < self.room)
        for key, _events in self.selector.select(longest):
            key.data(key.fileobj)
        now = time.monotonic()
        if now - self.swept > SWEEP:
            self.swept = now
            self.notify()
            if self.alive and self.ppid != os.getppid():
                self.log.info("Parent changed, shutting down: %s", self)
                self.alive = False
            self.sweep(now)

    def answer_soon(self, connection: Connection) -> None:
        """Have a whole request answered."""
        self.tasks.append((connection.request.uri.startswith(SHORT), partial(self.answer, connection)))

    def do(self, is_short: bool, task: Callable[[], object]) -> None:
        """Do a task here if it takes no time, and leave it to a request thread otherwise."""
        if not is_short or self.stand_in.rests:
            self.threads.put(task)
            return
        try:
            self.stand_in.cover(task)
        except Exception:
            self.log.exception("A request failed in the loop.")

    def stand_in_turn(self) -> None:
        """In the stand-in: leave all tasks to request threads."""
        try:
            while self.tasks:
                self.threads.put(self.tasks.popleft()[1])
            self.turn(PATIENCE)
        except Exception:
            self.log.exception("The stand-in's turn failed.")

    def accept_while(self, accepts: bool) -> None:
        """Listen for new clients, or stop listening."""
        if accepts == self.accepts:
            return
        self.accepts = accepts
        for listener in self.sockets:
            if accepts:
                listener.setblocking(False)
                self.selector.register(listener, selectors.EVENT_READ, self.accept)
            else:
                self.selector.unregister(listener)

    def accept(self, listener: socket.socket) -> None:
        try:
            sock, client = listener.accept()
        except OSError:
            # Another process accepted it, or the client is gone.
            return
        try:
            connection = Connection(sock, self.ends(client, listener.getsockname()), self.most)
        except OSError:
            sock.close()
            return
        self.connections.add(connection)
        self.receive(connection, is_watched=False)

    def ends(self, client: Any, server: Any) -> dict[str, str]:
        """Return what the application gets to know of the two ends of a connection."""
        if not isinstance(server, tuple):
            # A proxy on this machine came by a Unix socket.
            return {"SERVER_NAME": "localhost", "SERVER_PORT": "80", "REMOTE_ADDR": ""}
        return {"SERVER_NAME": server[0], "SERVER_PORT": str(server[1]), "REMOTE_ADDR": client[0]}

    def receive(self, connection: Connection, *, is_watched: bool = True) -> None:
        """Receive data from a client."""
        try:
            is_whole = connection.receive()
        except RequestRefused as refused:
            connection.refuse(refused)
            self.proceed(connection, is_watched=is_watched)
            return
        except OSError:
            self.drop(connection)
            return
        if is_whole:
            if is_watched:
                self.unwatch(connection)
            self.answer_soon(connection)
        elif not is_watched:
            self.watch(connection, selectors.EVENT_READ, self.receive)

    def watch(self, connection: Connection, event: int, handler: Callable[[Connection], None]) -> None:
        """Let the loop handle the next event of a connection; the last thing that a request thread does with it."""
        connection.handler = handler
        self.selector.register(connection, event, handler)

    def unwatch(self, connection: Connection) -> None:
        self.selector.unregister(connection)
        connection.handler = None

    def answer(self, connection: Connection) -> None:
        """In a request thread: answer, or continue an answer to a slow client; then return the connection."""
        try:
            if connection.context is None:
                self.begin(connection)
            else:
                connection.context.run(self.produce, connection)
        except OSError:
            self.break_off(connection)
        except Exception as error:
            if connection.response is not None and connection.response.headers_sent:
                self.log.exception("A response failed.")
                self.break_off(connection)
            else:
                self.break_off(connection)
                self.handle_error(connection.request, connection, (connection.environ["REMOTE_ADDR"],), error)
        finally:
            self.give_back(connection)

    def give_back(self, connection: Connection) -> None:
        """In a request thread: leave a connection to the loop; wake it only if there is more to do than to wait."""
        if connection.is_done:
            connection.next()
            self.watch(connection, selectors.EVENT_READ, self.receive)
            return
        self.answered.put(connection)
        with suppress(BlockingIOError):
            os.write(self.PIPE[1], b".")

    def begin(self, connection: Connection) -> None:
        """Read a request and hand it to the application."""
        request = connection.request
        connection.response = wsgi.Response(request, connection, self.cfg)
        environ = {**self.environ, **connection.environ, **request.environ, "wsgi.input": request.body}
        if environ.get("HTTP_X_FORWARDED_PROTO") == "https" and self.trusts(environ["REMOTE_ADDR"]):
            environ["wsgi.url_scheme"] = "https"
        if not self.alive:
            connection.response.force_close()
        connection.result = self.wsgi(environ, connection.response.start_response)
        connection.chunks = iter(connection.result)
        self.produce(connection)

    def trusts(self, address: str) -> bool:
        """Return whether a client is a proxy of ours, which knows the browser's scheme."""
        trusted = self.cfg.forwarded_allow_ips
        networks = self.cfg.forwarded_allow_networks()
        return not address or "*" in trusted or any(ip_address(address) in network for network in networks)

    def break_off(self, connection: Connection) -> None:
        """End a response in the middle, and the connection with it."""
        connection.closes = True
        connection.outbox.clear()
        self.finish(connection)

    def produce(self, connection: Connection) -> None:
        """Make pieces of the response as long as the client accepts them without waiting."""
        assert connection.chunks is not None
        for chunk in connection.chunks:
            connection.response.write(chunk)
            if not connection.flush():
                connection.context = connection.context or contextvars.copy_context()
                # Another thread may continue.
                close_old_connections()
                return
        connection.response.close()
        connection.closes = connection.response.should_close()
        self.finish(connection)
        connection.flush()

    def finish(self, connection: Connection) -> None:
        """In a request thread: close the application's response, however it ended."""
        result, connection.result, connection.chunks = connection.result, None, None
        if hasattr(result, "close"):
            try:
                result.close()
            except Exception:
                self.log.exception("A response could not be closed.")

    def wake(self, _pipe: Any) -> None:
        """Take connections back from request threads."""
        with suppress(BlockingIOError):
            os.read(self.PIPE[0], PIECE)
        with suppress(queue.Empty):
            while True:
                self.proceed(self.answered.get_nowait(), is_watched=False)

    def take_reports(self, listener: socket.socket) -> None:
        """Take all that nginx reports, since few reports wait in the socket."""
        with suppress(BlockingIOError):
            while True:
                self.tasks.append((True, partial(reports.note, listener.recv(reports.LONGEST))))

    def send(self, connection: Connection) -> None:
        """Send more of a response to a client that is ready."""
        try:
            if not connection.flush():
                return
        except OSError:
            self.drop(connection)
            return
        self.proceed(connection, is_watched=True)

    def proceed(self, connection: Connection, *, is_watched: bool) -> None:
        """Do the next step of a connection: send, make more of the response, wait for a request, or close it."""
        if is_watched:
            self.unwatch(connection)
        try:
            if not connection.flush():
                connection.since = time.monotonic()
                self.watch(connection, selectors.EVENT_WRITE, self.send)
            elif connection.chunks is not None:
                self.threads.put(partial(self.answer, connection))
            elif connection.closes:
                connection.leave()
                self.watch(connection, selectors.EVENT_READ, self.listen_for_end)
            elif connection.next():
                self.answer_soon(connection)
            else:
                self.watch(connection, selectors.EVENT_READ, self.receive)
        except RequestRefused as refused:
            connection.refuse(refused)
            self.proceed(connection, is_watched=False)
        except OSError:
            self.drop(connection)

    def listen_for_end(self, connection: Connection) -> None:
        """Discard what a client still sends after its last response."""
        try:
            if connection.sock.recv(PIECE):
                return
        except BlockingIOError:
            return
        except OSError:
            pass
        self.drop(connection)

    def sweep(self, now: float) -> None:
        """Close connections of late clients; a client in the middle of a request gets a 408 first."""
        for connection in [*self.connections]:
            if connection.handler is None:
                continue
            is_idle = not (connection.is_arriving or connection.outbox or connection.is_leaving)
            if is_idle and not self.alive and now - connection.since > LINGER:
                self.drop(connection)
            elif connection.is_late(now):
                if connection.is_arriving and connection.handler == self.receive:
                    connection.refuse(RequestRefused(408, "Request Timeout"))
                    self.proceed(connection, is_watched=True)
                else:
                    self.drop(connection)

    def drop(self, connection: Connection) -> None:
        """Close a connection; a request thread closes the response that was being made for it."""
        self.connections.discard(connection)
        with suppress(KeyError, ValueError):
            self.selector.unregister(connection)
        connection.close()
        if connection.result is not None and connection.context is not None:
            self.threads.put(partial(connection.context.run, self.finish, connection))


def room(wanted: int) -> int:
    """Raise this process's limit of open files as far as possible; return how many connections it allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = 4 * wanted if hard == resource.RLIM_INFINITY else min(4 * wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        soft = most
    return wanted if soft == resource.RLIM_INFINITY else min(wanted, soft // 2)

"""A rater who costs next to nothing: one kept connection, requests put together from ready-made bytes."""

from __future__ import annotations

import re
import socket
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import ClassVar
from uuid import uuid4

TOKEN = re.compile(rb'"token":\s*"([\w-]+)"')
KEY = re.compile(rb'"key":\s*"([\w-]+)"')
URL = re.compile(rb'"url":\s*"([^"]+)"')
TAB = re.compile(rb'"tab":\s*"([\w-]+)"')
LENGTH = re.compile(rb"\r\ncontent-length: (\d+)", re.IGNORECASE)
CHUNKED = re.compile(rb"\r\ntransfer-encoding: chunked", re.IGNORECASE)
PLACE = re.compile(rb"\r\nlocation: ([^\r]+)", re.IGNORECASE)
COOKIE = re.compile(rb"\r\nset-cookie: ([^=]+)=([^;\r]*)", re.IGNORECASE)
FORM = re.compile(rb'name="csrfmiddlewaretoken" value="([^"]+)"')
WAIT = re.compile(rb'"retry_after":\s*([\d.]+)')
REASON = b"The pause before the last word is too long, and the breath comes in the wrong place."


@dataclass
class Tally:
    """What one rater did and saw. Times are seconds on the monotonic clock."""

    # (end, whole cycle, the played POST, the answer's POST)
    cycles: list[tuple[float, float, float, float]] = field(default_factory=list)
    # (end, duration) of each trial page, which claims a session's first batch.
    pages: list[tuple[float, float]] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    acknowledged: list[str] = field(default_factory=list)
    audio_bytes: int = 0


class Wire:
    """A connection that sends bytes and reads whole responses."""

    # Every connection of this process, for the sum of what they carried.
    opened: ClassVar[list[Wire]] = []

    def __init__(self, host: str, port: int, patience: float = 60.0) -> None:
        self.socket = socket.create_connection((host, port), timeout=patience)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.carried = 0
        self.opened.append(self)

    def ask(self, request: bytes) -> tuple[int, bytes]:
        """Return a response's status and body."""
        status, _, body = self.exchange(request)
        return status, body

    def exchange(self, request: bytes) -> tuple[int, bytes, bytes]:
        """Return a response's status, headers and body."""
        self.socket.sendall(request)
        data = self.socket.recv(65536)
        while (end := data.find(b"\r\n\r\n")) < 0:
            data += self._more()
        status = int(data[9:12])
        found = LENGTH.search(data, 0, end + 2)
        if found is None and CHUNKED.search(data, 0, end + 2):
            # oTree's redirects: an empty body, whose single chunk stays as it came.
            while not data.endswith(b"0\r\n\r\n"):
                data += self._more()
            self.carried += len(request) + len(data)
            return status, data[: end + 2], data[end + 4 :]
        missing = end + 4 + (int(found[1]) if found else 0) - len(data)
        if missing > 0:
            parts = [data]
            while missing > 0:
                parts.append(self._more())
                missing -= len(parts[-1])
            data = b"".join(parts)
        self.carried += len(request) + len(data)
        return status, data[: end + 2], data[end + 4 :]

    def _more(self) -> bytes:
        data = self.socket.recv(262144)
        if not data:
            raise ConnectionError("The server hung up.")
        return data


class Rater:
    """Rates session after session, each as another person would: by a connection of its own, kept to its end.

    A session is given as its cookie, past the instructions, or as the name of somebody who arrives by a link.
    """

    wire: Wire

    def __init__(
        self, host: str, port: int, slug: str, *, audio: bool = False, think: float = 0.0, patience: float = 60.0
    ) -> None:
        self.where = host, port, patience
        self.link = f"/s/{slug}/".encode()
        self.place = f"/rate/{slug}/".encode()
        self.host = b" HTTP/1.1\r\nHost: " + f"{host}:{port}".encode()
        self.audio = audio
        self.think = think
        self.tally = Tally()

    def rate_session(self, cookie: str, until: float) -> bool:
        """Load the trial page and rate to the session's end, or to the first cycle that ends after `until`."""
        self.wire = Wire(*self.where)
        self.be(b"earshot_rater=" + cookie.encode())
        began = time.monotonic()
        status, page = self.wire.ask(b"GET " + self.place + b"trial/" + self.get)
        return self.rate(status, page, began, until)

    def arrive_and_rate(self, name: str, until: float) -> bool:
        """Arrive by a Prolific link, agree, read the instructions, and rate like `rate_session`."""
        self.wire = Wire(*self.where)
        self.jar: dict[bytes, bytes] = {}
        self.be(b"")
        query = f"?PROLIFIC_PID={name}&STUDY_ID=study&SESSION_ID=now-{name}".encode()
        _, page = self.follow(self.link + query)
        _, page = self.submit(self.place + b"consent/", page, b"&decision=agree&agreed=on")
        began = time.monotonic()
        status, page = self.submit(self.place + b"instructions/", page)
        return self.rate(status, page, began, until)

    def be(self, cookies: bytes) -> None:
        """Make ready what each request sends along."""
        head = self.host + b"\r\nCookie: " + cookies
        self.get = head + b"\r\n\r\n"
        self.post = head + b"\r\nContent-Type: application/json\r\nContent-Length: "
        self.form = head + b"\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: "

    def follow(self, path: bytes, request: bytes = b"") -> tuple[int, bytes]:
        """Load a page, or send a request for it, and follow where it leads, with its cookies."""
        request = request or b"GET " + path + self.get
        while True:
            status, head, body = self.wire.exchange(request)
            self.jar |= dict(COOKIE.findall(head))
            self.be(b"; ".join(name + b"=" + value for name, value in self.jar.items()))
            place = PLACE.search(head)
            if place is None:
                self.tally.statuses[f"arrival {status}"] += 1
                return status, body
            request = b"GET " + place[1] + self.get

    def submit(self, path: bytes, page: bytes, fields: bytes = b"") -> tuple[int, bytes]:
        """Send the form of a page and follow where that leads."""
        token = FORM.search(page)
        if token is None:
            raise ValueError(f"No form for {path!r} on the page: {page[:300]!r}")
        body = b"csrfmiddlewaretoken=" + token[1] + fields
        return self.follow(path, b"POST " + path + self.form + str(len(body)).encode() + b"\r\n\r\n" + body)

    def rate(self, status: int, page: bytes, began: float, until: float) -> bool:
        """Rate from a trial page on; tells whether there is time for another session."""
        ended = time.monotonic()
        self.tally.statuses[f"page {status}"] += 1
        self.tally.pages.append((ended, ended - began))
        shown = page[max(0, page.find(b'id="progress"')) :]
        while (token := TOKEN.search(shown)) is not None and time.monotonic() < until:
            shown = self.cycle(token[1], shown)
            if self.think:
                time.sleep(self.think)
        self.wire.socket.close()
        return time.monotonic() < until

    def cycle(self, token: bytes, shown: bytes) -> bytes:
        """Play the clip and answer; return what is shown next."""
        key, tab, url = KEY.search(shown), TAB.search(shown), URL.search(shown)
        if not (key and tab and url):
            raise ValueError(f"The page shows no trial: {shown[:300]!r}")
        if self.audio:
            self.fetch(url[1])
        answer = self.answer(key[1], tab[1])
        began = time.monotonic()
        status, _ = self.send(b"api/played/" + key[1], b'{"tab":"' + tab[1] + b'"}')
        self.tally.statuses[f"played {status}"] += 1
        played = time.monotonic()
        status, body = self.send(b"api/answers/" + token, answer)
        self.tally.statuses[f"answer {status}"] += 1
        while status == 425:
            wait = WAIT.search(body)
            time.sleep(float(wait[1]) + 0.01 if wait else 1.0)
            status, body = self.send(b"api/answers/" + token, answer)
            self.tally.statuses[f"answer {status}"] += 1
        ended = time.monotonic()
        self.tally.cycles.append((ended, ended - began, played - began, ended - played))
        if status != 200:
            return b""
        self.tally.acknowledged.append(answer[-36 - 2 : -2].decode())
        return body

    def answer(self, key: bytes, tab: bytes) -> bytes:
        """Return an answer's body, the idempotency key last, with the evidence that a page sends along."""
        heard = b'"' + key + b'":{"plays":1,"played":1.0,"first_end":2.996,"interrupted":0}'
        evidence = b'{"clips":{' + heard + b'},"hidden_ms":0}'
        given = b'{"label":"unclear","reason":"' + REASON + b'"}'
        return (
            b'{"tab":"' + tab + b'","answer":' + given + b',"evidence":' + evidence
            + b',"key":"' + str(uuid4()).encode() + b'"}'
        )  # fmt: skip

    def fetch(self, url: bytes) -> None:
        """Take in a clip's bytes."""
        status, body = self.wire.ask(b"GET " + url + self.get)
        self.tally.statuses[f"audio {status}"] += 1
        self.tally.audio_bytes += len(body)

    def send(self, path: bytes, body: bytes) -> tuple[int, bytes]:
        size = str(len(body)).encode()
        return self.wire.ask(b"POST " + self.place + path + self.post + size + b"\r\n\r\n" + body)

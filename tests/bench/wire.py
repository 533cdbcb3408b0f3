"""A rater who costs next to nothing: one kept connection, requests put together from ready-made bytes."""

from __future__ import annotations

import re
import socket
import time
from collections import Counter
from dataclasses import dataclass, field
from uuid import uuid4

TOKEN = re.compile(rb'"token":\s*"([\w-]+)"')
KEY = re.compile(rb'"key":\s*"([\w-]+)"')
URL = re.compile(rb'"url":\s*"([^"]+)"')
TAB = re.compile(rb'"tab":\s*"([\w-]+)"')
LENGTH = re.compile(rb"\r\ncontent-length: (\d+)", re.IGNORECASE)
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

    def __init__(self, host: str, port: int, patience: float = 60.0) -> None:
        self.socket = socket.create_connection((host, port), timeout=patience)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, request: bytes) -> tuple[int, bytes]:
        """Return a response's status and body."""
        self.socket.sendall(request)
        data = self.socket.recv(65536)
        while (end := data.find(b"\r\n\r\n")) < 0:
            data += self._more()
        status = int(data[9:12])
        found = LENGTH.search(data, 0, end + 2)
        missing = end + 4 + (int(found[1]) if found else 0) - len(data)
        if missing > 0:
            parts = [data]
            while missing > 0:
                parts.append(self._more())
                missing -= len(parts[-1])
            data = b"".join(parts)
        return status, data[end + 4 :]

    def _more(self) -> bytes:
        data = self.socket.recv(262144)
        if not data:
            raise ConnectionError("The server hung up.")
        return data


class Rater:
    """Rates session after session, each as another person would: by a connection of its own, kept to its end.

    Sessions are given as cookies and are past the instructions.
    """

    wire: Wire

    def __init__(
        self, host: str, port: int, slug: str, *, audio: bool = False, think: float = 0.0, patience: float = 60.0
    ) -> None:
        self.where = host, port, patience
        self.place = f"/rate/{slug}/".encode()
        self.head = b" HTTP/1.1\r\nHost: " + f"{host}:{port}".encode() + b"\r\nCookie: earshot_rater="
        self.audio = audio
        self.think = think
        self.tally = Tally()

    def rate_session(self, cookie: str, until: float) -> bool:
        """Load the trial page and rate to the session's end, or to the first cycle that ends after `until`."""
        self.post = self.head + cookie.encode() + b"\r\nContent-Type: application/json\r\nContent-Length: "
        self.get = self.head + cookie.encode() + b"\r\n\r\n"
        self.wire = Wire(*self.where)
        began = time.monotonic()
        status, page = self.wire.ask(b"GET " + self.place + b"trial/" + self.get)
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

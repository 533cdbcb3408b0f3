"""A participant of the same listening test in oTree, by the same raw sockets (`tests/bench/otree`)."""

from __future__ import annotations

import re
import time
from urllib.parse import quote_plus
from uuid import uuid4

from tests.bench.wire import PLACE, REASON, Rater, Wire

CLIP = re.compile(rb'<audio[^>]* src="([^"]+)"')
WRITTEN = quote_plus(REASON).encode()


class Participant(Rater):
    """Takes part in session after session, each as another person; `slug` is the code of the session-wide link."""

    def arrive_and_rate(self, name: str, until: float) -> bool:
        """Arrive by a link with a label, agree, read the instructions, and answer to the end."""
        self.wire = Wire(*self.where)
        self.jar = {}
        self.be(b"")
        path, _ = self.go(b"GET /join/" + self.code + b"?participant_label=" + name.encode() + self.get)
        path, _ = self.go(self.sent(path, b"agreed=1"))
        began = time.monotonic()
        path, page = self.go(self.sent(path, b""))
        ended = time.monotonic()
        self.tally.pages.append((ended, ended - began))
        while (clip := CLIP.search(page)) is not None and time.monotonic() < until:
            self.fetch(clip[1])
            path, page = self.trial(path)
        self.wire.socket.close()
        return time.monotonic() < until

    def trial(self, path: bytes) -> tuple[bytes, bytes]:
        """Send the form of a trial; return the next page and its path."""
        key = str(uuid4())
        began = time.monotonic()
        status, head, _ = self.wire.exchange(self.sent(path, b"choice=unclear&reason=" + WRITTEN + b"+" + key.encode()))
        answered = time.monotonic()
        self.tally.statuses[f"answer {status}"] += 1
        place = PLACE.search(head)
        if place is None:
            raise ValueError(f"The answer to {path!r} was not taken.")
        # A form that is shown again leads nowhere: only a redirect says that the answer is stored.
        self.tally.acknowledged.append(key)
        status, page = self.wire.ask(b"GET " + place[1] + self.get)
        ended = time.monotonic()
        self.tally.statuses[f"page {status}"] += 1
        self.tally.cycles.append((ended, ended - began, answered - began, ended - answered))
        return place[1], page

    def go(self, request: bytes) -> tuple[bytes, bytes]:
        """Send a request and follow where it leads; return the page and its path."""
        path = b""
        while True:
            status, head, page = self.wire.exchange(request)
            place = PLACE.search(head)
            if place is None:
                self.tally.statuses[f"arrival {status}"] += 1
                return path, page
            path = place[1]
            request = b"GET " + path + self.get

    def sent(self, path: bytes, body: bytes) -> bytes:
        """Return the request that sends a form."""
        return b"POST " + path + self.form + str(len(body)).encode() + b"\r\n\r\n" + body

    @property
    def code(self) -> bytes:
        return self.link.split(b"/")[2]

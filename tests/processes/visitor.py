"""A rater as a program of its own: real pages, real cookies, and a sent answer is sent again until it is acknowledged.

`python -m tests.processes.visitor URL SLUG NAME [--answers N]` goes as far as the trials, says `ready`, waits for a
line on its standard input, loads the trial page and rates. Its last line is what it saw, as JSON.
"""

from __future__ import annotations

import argparse
import json
import re
import ssl
import sys
import time
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any
from urllib.parse import urlencode, urlsplit
from uuid import uuid4

TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
PROGRESS = re.compile(r'<script id="progress" type="application/json">(.*?)</script>', re.DOTALL)
REASON = "The pause before the last word is too long"
FORM, JSON = "application/x-www-form-urlencoded", "application/json"
# What a proxy says while the server behind it is away: the request may have been done or not, so it is sent again.
AWAY = {502, 503, 504}


@dataclass
class Reply:
    """A response, read to its end."""

    status: int
    place: str
    text: str

    def json(self) -> Any:
        return json.loads(self.text)


class Browser:
    """One connection, kept open, with cookies; a request whose reply was lost is sent again."""

    def __init__(self, url: str, patience: float = 120.0) -> None:
        self.url, self.patience, place = url, patience, urlsplit(url).netloc
        self.connection = HTTPConnection(place, timeout=60)
        if url.startswith("https:"):
            # The certificate of a server that is being tried out is its own.
            trusting = ssl._create_unverified_context()
            self.connection = HTTPSConnection(place, timeout=40, context=trusting)
        self.cookies: dict[str, str] = {}
        self.resent = 0

    def send(self, method: str, path: str, body: str | None = None, kind: str = FORM) -> Reply:
        end = time.monotonic() + self.patience
        while True:
            try:
                reply = self._try(method, path, body, kind)
                if reply.status not in AWAY or time.monotonic() > end:
                    return reply
            except (OSError, HTTPException):
                self.connection.close()
                if time.monotonic() > end:
                    raise
            self.resent += 1
            time.sleep(0.05)

    def _try(self, method: str, path: str, body: str | None, kind: str) -> Reply:
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()), "Referer": self.url}
        if body is not None:
            headers["Content-Type"] = kind
        self.connection.request(method, path, body, headers)
        response: HTTPResponse = self.connection.getresponse()
        text = response.read().decode("utf-8", "replace")
        for cookie in response.headers.get_all("Set-Cookie", []):
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        return Reply(response.status, response.headers.get("Location", ""), text)

    def open(self, path: str) -> Reply:
        """Load a page, and follow where it leads."""
        reply = self.send("GET", path)
        while reply.status in (302, 303):
            reply = self.send("GET", reply.place)
        return reply

    def submit(self, path: str, page: Reply, **fields: str) -> Reply:
        """Send the form of a page, and follow where that leads."""
        found = TOKEN.search(page.text)
        assert found, f"{path} has no form:\n{page.text[:600]}"
        reply = self.send("POST", path, urlencode({"csrfmiddlewaretoken": found[1], **fields}))
        assert reply.status == 303, f"{path}: {reply.status}\n{reply.text[:600]}"
        return self.open(reply.place)


@dataclass
class Visitor:
    """Somebody who came by the link of a crowd source."""

    url: str
    slug: str
    name: str
    patience: float = 120.0
    acknowledged: list[tuple[str, str]] = field(default_factory=list)
    # What came back for each request that a rater may make: 200, 409, 500, …
    replies: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.browser = Browser(self.url, self.patience)
        self.place = f"/rate/{self.slug}/"

    @property
    def link(self) -> str:
        query = urlencode({"PROLIFIC_PID": self.name, "STUDY_ID": "study", "SESSION_ID": f"session-{self.name}"})
        return f"/s/{self.slug}/?{query}"

    def come(self) -> None:
        """Arrive and agree: the next page is the instructions."""
        page = self.browser.open(self.link)
        self.instructions = self.browser.submit(f"{self.place}consent/", page, decision="agree", agreed="on")

    def begin(self) -> dict[str, Any]:
        """Begin, which leads to the first trial's page, and return what that shows."""
        page = self.browser.submit(f"{self.place}instructions/", self.instructions)
        self.replies.append(page.status)
        found = PROGRESS.search(page.text)
        return dict(json.loads(found[1])) if found else {"state": "none"}

    def rate(self, shown: dict[str, Any]) -> dict[str, Any]:
        """Play the clip, answer, and return what comes next."""
        trial, tab = shown["trial"], shown["tab"]
        for clip in trial["clips"]:
            self.browser.send("GET", clip["url"])
            self.browser.send("POST", f"{self.place}api/played/{clip['key']}", json.dumps({"tab": tab}), JSON)
        key = str(uuid4())
        body = {"tab": tab, "key": key, "answer": {"label": "human", "reason": REASON}, "evidence": {}}
        end = time.monotonic() + self.patience
        while True:
            reply = self.browser.send("POST", f"{self.place}api/answers/{trial['token']}", json.dumps(body), JSON)
            # Too early: the clip is not over yet, and the page would wait and send it again.
            if reply.status != 425 or time.monotonic() > end:
                break
            time.sleep(0.2)
        self.replies.append(reply.status)
        if reply.status != 200:
            return {"state": "refused", "why": reply.text[:300]}
        self.acknowledged.append((trial["token"], key))
        return dict(reply.json())


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("slug")
    parser.add_argument("name")
    parser.add_argument("--answers", type=int, default=10)
    parser.add_argument("--patience", type=float, default=120.0, help="seconds to send a request again")
    asked = parser.parse_args()
    visitor = Visitor(asked.url, asked.slug, asked.name, asked.patience)
    visitor.come()
    say("ready")
    sys.stdin.readline()
    shown = visitor.begin()
    while shown["state"] == "trial" and len(visitor.acknowledged) < asked.answers:
        shown = visitor.rate(shown)
    seen = {"state": shown["state"], "replies": visitor.replies, "why": shown.get("why", "")}
    say(json.dumps({**seen, "acknowledged": visitor.acknowledged, "resent": visitor.browser.resent}))


if __name__ == "__main__":
    main()

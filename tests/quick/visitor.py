"""A listener of a quick test over HTTP, who hears every clip and chooses."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from tests.processes.visitor import JSON, PROGRESS, Browser, Reply

SECONDS = 120.0


class HttpListener:
    """Opens the link, agrees, and answers; `pages` are all bodies and addresses that a browser would get."""

    def __init__(self, link: str) -> None:
        parts = urlsplit(link)
        self.path, self.place = parts.path, parts.path.replace("/s/", "/rate/")
        self.browser = Browser(f"{parts.scheme}://{parts.netloc}")
        self.pages: list[str] = []

    def start(self) -> dict[str, Any]:
        """Go as far as the first trial, and return what its page shows."""
        page = self._seen(self.browser.open(self.path))
        page = self._seen(self.browser.submit(self.path, page))
        page = self._seen(self.browser.submit(f"{self.place}consent/", page, decision="agree", agreed="on"))
        page = self._seen(self.browser.submit(f"{self.place}instructions/", page))
        found = PROGRESS.search(page.text)
        assert found, page.text[:600]
        return dict(json.loads(found[1]))

    def play(self, shown: dict[str, Any]) -> None:
        for clip in shown["trial"]["clips"]:
            self.pages.append(clip["url"])
            self._seen(self.browser.send("GET", clip["url"]))
            about = json.dumps({"tab": shown["tab"]})
            self._seen(self.browser.send("POST", f"{self.place}api/played/{clip['key']}", about, JSON))

    def answer(self, shown: dict[str, Any], choose: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        """Play and answer one trial, which `choose` gets, and return what comes next."""
        self.play(shown)
        body = {"tab": shown["tab"], "key": str(uuid4()), "answer": choose(shown["trial"]), "evidence": {}}
        end = time.monotonic() + SECONDS
        while True:
            address = f"{self.place}api/answers/{shown['trial']['token']}"
            reply = self._seen(self.browser.send("POST", address, json.dumps(body), JSON))
            if reply.status != 425 or time.monotonic() > end:
                break
            time.sleep(0.2)
        assert reply.status == 200, reply.text[:300]
        return dict(reply.json())

    def finish(
        self, shown: dict[str, Any], choose: Callable[[dict[str, Any]], Any], trials: int = 1000
    ) -> dict[str, Any]:
        """Answer so many trials, or all."""
        for _ in range(trials):
            if shown["state"] != "trial":
                break
            shown = self.answer(shown, choose)
        return shown

    def _seen(self, reply: Reply) -> Reply:
        self.pages += [reply.place, reply.text]
        return reply

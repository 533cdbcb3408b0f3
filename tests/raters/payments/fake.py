"""The stand-in for Prolific without a network, and our client that speaks to it and waits in no time."""

from __future__ import annotations

from typing import Any

import httpx

from demo.prolific.account import Account, FakeStudy, FakeSubmission
from demo.prolific.server import Server
from raters.sources.client.prolific import ProlificClient
from raters.sources.client.transport import PlatformTransport

STUDY = "ext"
TOKEN = "secret-token-of-the-account"


class Fake:
    """An account with one study, its server, and our client."""

    def __init__(self, **options: Any) -> None:
        self.account = Account()
        self.study = self.account.studies.setdefault(STUDY, FakeStudy(STUDY))
        self.server = Server(self.account, token=TOKEN, **options)
        self.waited: list[float] = []

    @property
    def api(self) -> ProlificClient:
        """Return a client; closing it, as jobs do, closes nobody else's."""
        line = httpx.WSGITransport(app=self.server, raise_app_exceptions=True)
        return ProlificClient(PlatformTransport("http://prolific", TOKEN, sleep=self.waited.append, transport=line))

    def submission(self, name: str, *, participant: str = "", **fields: Any) -> FakeSubmission:
        """Add one person's place."""
        return self.account.add(FakeSubmission(name, STUDY, participant or name.removeprefix("s-"), **fields))

    def asked(self, part: str) -> int:
        """Return how many requests went to addresses that hold this."""
        return sum(part in path for _method, path in self.server.asked)

"""The pages of experts, asked one after the other in this process: queries, CPU and wall time of each, as JSON.

Fills the queues of a study that `tests.bench.seeding` made, where they are empty, then opens pages and decides items.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import Any

import django

django.setup()

from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402
from django.urls import reverse  # noqa: E402

from accounts.models import User  # noqa: E402
from studies.models import Study  # noqa: E402
from tests.bench.queues import add_queues  # noqa: E402
from tests.bench.stage import seconds_of  # noqa: E402

DECISIONS = {"review": {"decision": "consistent"}, "coding": {"marks": [{"code": "pauses", "polarity": "machine"}]}}


class Asked:
    """What the requests of one name took."""

    def __init__(self) -> None:
        self.queries = 0
        self.cpu: list[float] = []
        self.wall: list[float] = []
        self.database: list[float] = []


class Desks:
    """One expert's browser, which notes what each request takes."""

    def __init__(self, study: Study, user: User) -> None:
        self.study = study
        self.client = Client(headers={"host": "127.0.0.1"})
        self.client.force_login(user)
        self.asked: dict[str, Asked] = {}

    def round(self) -> None:
        """Open every page once, and decide, take back and put off one item at each desk."""
        self.ask("studies", "index")
        for desk, decision in DECISIONS.items():
            self.ask(f"{desk}: page", desk, slug=self.study.slug)
            key = self.ask(f"{desk}: next item", f"{desk}_current", slug=self.study.slug)["items"][0]["key"]
            last = self.post(desk, "decide", key, decision)["last"]
            back = self.post(desk, "undo", last, {})["back"]
            after = self.post(desk, "decide", back, decision)["items"][0]["key"]
            self.post(desk, "skip", after, {})
            self.ask(f"{desk}: overview", f"{desk}_overview", slug=self.study.slug)

    def post(self, desk: str, what: str, key: str, body: dict[str, Any]) -> Any:
        return self.ask(f"{desk}: {what}", f"{desk}_{what}", body, slug=self.study.slug, key=key)

    def ask(self, name: str, view: str, body: dict[str, Any] | None = None, **parts: str) -> Any:
        """Send a request, and note what it takes here and in the database."""
        url = reverse(f"experts:{view}", kwargs=parts)
        noted = self.asked.setdefault(name, Asked())
        with CaptureQueriesContext(connection) as queries:
            pid = connection.connection.info.backend_pid
            used, cpu, began = seconds_of(pid), time.process_time(), time.perf_counter()
            if body is None:
                response = self.client.get(url)
            else:
                response = self.client.post(url, json.dumps(body), content_type="application/json")
            noted.wall.append(time.perf_counter() - began)
            noted.cpu.append(time.process_time() - cpu)
            noted.database.append(seconds_of(pid) - used)
        assert response.status_code == 200, (name, response.status_code, response.content[:500])
        noted.queries = len(queries)
        return response.json() if response["Content-Type"].startswith("application/json") else None


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--decided", type=int, required=True)
    parser.add_argument("--rounds", type=int, required=True)
    asked = parser.parse_args()
    study = Study.objects.get()
    user = User.objects.filter(username="eva").first() or add_queues(study, decided=asked.decided)
    desks = Desks(study, user)
    for _ in range(3):
        desks.round()
    desks.asked.clear()
    for _ in range(asked.rounds):
        desks.round()
    json.dump({name: vars(each) for name, each in desks.asked.items()}, sys.stdout)


if __name__ == "__main__":
    main()

"""A study's jobs and pages, one after the other in this process: queries, CPU, wall time and memory of each, as JSON.

Fills the queues of a study that `tests.bench.seeding` made, where they are empty, analyses it, compares its metric with
listeners, refreshes the figures, decides items as an expert, and opens every page of the URLconf as the first of its
people who may.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import django

django.setup()

from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402
from django.urls import reverse  # noqa: E402

from accounts.models import User  # noqa: E402
from analysis.comparisons import comparing  # noqa: E402
from analysis.live import snapshots  # noqa: E402
from analysis.metrics import queries as metrics_queries  # noqa: E402
from analysis.models import Simulated, Snapshot  # noqa: E402
from analysis.runs import analyses  # noqa: E402
from core import clock, jobs  # noqa: E402
from studies.models import Study, Summary  # noqa: E402
from studies.summaries import services as summaries  # noqa: E402
from tests.bench.history import add_history  # noqa: E402
from tests.bench.queues import add_queues, fill  # noqa: E402
from tests.bench.stage import forget_peak, peak_memory, seconds_of  # noqa: E402
from tests.roles.world import Shared, add_rows, routes  # noqa: E402

DECISIONS = {"review": {"decision": "consistent"}, "coding": {"marks": [{"code": "pauses", "polarity": "machine"}]}}


class Asked:
    """What the requests of one name took."""

    def __init__(self) -> None:
        self.queries = 0
        self.cpu: list[float] = []
        self.wall: list[float] = []
        self.database: list[float] = []
        # Bytes at the peak, above what the process had before.
        self.memory: list[int] = []


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

        def send() -> Any:
            if body is None:
                return self.client.get(url)
            return self.client.post(url, json.dumps(body), content_type="application/json")

        response = noted(self.asked, name, send)
        assert response.status_code == 200, (name, response.status_code, response.content[:500])
        return response.json() if response["Content-Type"].startswith("application/json") else None


def noted(asked: dict[str, Asked], name: str, send: Callable[[], Any]) -> Any:
    """Call something, and note what it takes here and in the database."""
    entry = asked.setdefault(name, Asked())
    with CaptureQueriesContext(connection) as queries:
        pid = connection.connection.info.backend_pid
        memory = forget_peak()
        used, cpu, began = seconds_of(pid), time.process_time(), time.perf_counter()
        result = send()
        entry.wall.append(time.perf_counter() - began)
        entry.cpu.append(time.process_time() - cpu)
        entry.database.append(seconds_of(pid) - used)
        entry.memory.append(peak_memory() - memory)
    entry.queries = len(queries)
    return result


def walk(study: Study, rounds: int, asked: dict[str, Asked], only: str) -> dict[str, str]:
    """Open every address that somebody can open, and return {name: why nobody can}."""
    shared = Shared(study, {}, clock.now())
    people = User.objects.filter(username__in=["eva", "otto", "root"]).order_by("username")
    clients = [Client(headers={"host": "127.0.0.1"}) for _ in people]
    for client, user in zip(clients, people, strict=True):
        client.force_login(user)
        client.raise_request_exception = False
    unopened = {}
    for name, route in routes():
        if name.startswith("raters:") or only not in name:
            continue
        try:
            address = shared.address(name, route)
        except KeyError as part:
            unopened[name] = f"nothing stands for {part}"
            continue
        statuses = []
        for client in clients:
            response = opened(client, address)
            statuses.append(response.status_code)
            if response.status_code == 200:
                # What the page has asked a worker for; the page itself is measured with it.
                for summary in Summary.objects.filter(state=jobs.QUEUED):
                    noted(asked, f"worker: {summary.name}", partial(summaries.refresh, pk=summary.pk, clock=clock.now))
                for _ in range(rounds):
                    noted(asked, name, partial(opened, client, address))
                break
        else:
            unopened[name] = str(statuses)
    return unopened


def opened(client: Client, address: str) -> Any:
    """Open an address, and read all of the answer."""
    response: Any = client.get(address)
    if response.streaming:
        response.getvalue()
    return response


def refresh(study: Study) -> None:
    """Compute the figures of a study's page."""
    Snapshot.objects.filter(study=study).update(state=jobs.DONE, ended_at=None)
    row = snapshots.request_refresh(study_id=study.pk, simulated=Simulated.WITHOUT, now=clock.now())
    assert row is not None
    snapshots.refresh_snapshot(pk=row, clock=clock.now)


def analyse(study: Study) -> None:
    """Compute a whole analysis, with its plots and its report."""
    row = analyses.request_analysis(study_id=study.pk, user=None, now=clock.now())
    assert analyses.run(pk=row.pk, clock=clock.now)
    row.refresh_from_db()
    assert row.state == jobs.DONE, row.error


def compare(study: Study) -> None:
    """Compare the study's metric with its listeners."""
    [metric] = metrics_queries.sets(study.pk)
    row, is_due = comparing.request(first=metric, second=None, simulated=Simulated.WITHOUT, now=clock.now())
    if is_due:
        assert comparing.compare(pk=row.pk, clock=clock.now)


JOBS = {"analysis": analyse, "comparison": compare}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--decided", type=int, required=True)
    parser.add_argument("--rounds", type=int, required=True)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    study = Study.objects.get()
    user = User.objects.filter(username="eva").first()
    if user is None:
        user = add_queues(study, decided=asked.decided)
        User.objects.create_superuser("root")
        study.refresh_from_db()
        add_rows(study, clock.now())
        fill(study)
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
    with connection.cursor() as cursor:
        # Only this connection's own process is timed.
        cursor.execute("SET max_parallel_workers_per_gather = 0")
    taken: dict[str, Asked] = {}
    for name, job in JOBS.items():
        # Pages show the comparison: it's computed before any of them is opened.
        if asked.only in name or name == "comparison":
            noted(taken, f"job: {name}", partial(job, study))
    if asked.only in "figures":
        Snapshot.objects.update(rebuilt_at=None)
        for name in ("figures: all", "figures: 300 new answers", "figures: 300 more"):
            noted(taken, name, lambda: refresh(study))
            add_history(study, sessions=10, batches=3, outcome="complete")
    if asked.only in "desks":
        desks = Desks(study, user)
        for _ in range(3):
            desks.round()
        desks.asked.clear()
        for _ in range(asked.rounds):
            desks.round()
        taken |= desks.asked
    is_part = asked.only in ("figures", "desks", *JOBS)
    unopened = {} if is_part else walk(study, asked.rounds, taken, asked.only)
    json.dump({"took": {name: vars(each) for name, each in taken.items()}, "unopened": unopened}, sys.stdout)


if __name__ == "__main__":
    main()

"""No page of the URLconf reads more rows in a large study than in a small one, as PostgreSQL counts them."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client

from accounts.models import User
from analysis.live import snapshots
from analysis.models import Simulated
from core import clock, jobs
from studies.summaries import services as summaries
from studies.summaries.models import Summary
from tests.bench.history import add_history
from tests.bench.queues import add_queues, fill
from tests.bench.seeding import Size, make_study
from tests.roles.world import Shared, add_rows, routes

pytestmark = [
    # SQLite does not say how many rows a statement reads.
    pytest.mark.postgres,
    pytest.mark.django_db,
    pytest.mark.usefixtures("files"),
]
SMALL, LARGE = (20, 200), (400, 4000)
# As often as a small study's, and as many rows more; both pages of lists are full.
MOST, MORE = 2, 250
READ = """SELECT sum(pg_stat_get_xact_tuples_returned(oid)) FROM pg_class
WHERE relkind IN ('r', 'i') AND relnamespace = 'public'::regnamespace"""
# Pages that read more in a larger study, and why that is so.
GROWING: dict[str, str] = {}


def read(client: Client, address: str) -> tuple[int, int]:
    """Open an address, and return its status and the rows and index entries that it read."""
    before = rows_read()
    with transaction.atomic():
        response: Any = client.get(address)
        if response.streaming:
            response.getvalue()
        transaction.set_rollback(True)
    return response.status_code, rows_read() - before


def rows_read() -> int:
    with connection.cursor() as cursor:
        cursor.execute(READ)
        return int(cursor.fetchone()[0])


def pages(clips: int, answers: int) -> dict[str, int]:
    """Return {name: rows read} of every address that somebody can open, in a study of this size."""
    study = make_study(Size(clips, answers, 60, 120, 0.1, "record"))
    add_history(study, sessions=answers // 10, batches=1, outcome="complete")
    add_queues(study, decided=answers // 10)
    root = User.objects.create_superuser("root")
    add_rows(study, clock.now())
    fill(study)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
        # What a large table is read by; in one of a few thousand rows, PostgreSQL reads all.
        cursor.execute("SET LOCAL enable_seqscan = off")
    clients = [Client(), Client()]
    for client, user in zip(clients, (study.owner, root), strict=True):
        client.force_login(user)
        client.raise_request_exception = False
    shared = Shared(study, {}, clock.now())
    row = snapshots.request_refresh(study_id=study.pk, simulated=Simulated.WITHOUT, now=clock.now())
    assert row is not None
    snapshots.refresh_snapshot(pk=row, clock=clock.now)
    counted: dict[str, int] = {}
    for name, route in routes():
        if name.startswith("raters:"):
            continue
        try:
            address = shared.address(name, route)
        except KeyError:
            continue
        for client in clients:
            client.get(address)
            for summary in Summary.objects.filter(state=jobs.QUEUED):
                summaries.refresh(pk=summary.pk, clock=clock.now)
            status, number = read(client, address)
            if status == 200:
                counted[name] = number
                break
    return counted


def measured(size: tuple[int, int]) -> dict[str, int]:
    """Return the same, and leave nothing behind."""
    with transaction.atomic():
        counted = pages(*size)
        transaction.set_rollback(True)
    return counted


def test_no_page_reads_more_rows_in_a_larger_study(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summaries, "QUICK", 10)
    small, large = measured(SMALL), measured(LARGE)
    assert set(small) == set(large)
    growing = {name for name, number in large.items() if number > MOST * small[name] + MORE}
    listed = "\n".join(f"{name}: {small[name]} rows, {large[name]} in the larger study" for name in sorted(growing))
    assert growing - set(GROWING) == set(), listed
    assert set(GROWING) - growing == set(), "these grow no longer"

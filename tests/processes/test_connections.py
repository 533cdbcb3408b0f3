"""A server under load opens no more connections to PostgreSQL than its settings say, as PostgreSQL counts them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from celery import Celery
from django.db import connection

from core import clock
from core.models import Sweep
from core.operations import checks
from raters.models import Answer
from studies.models import Study
from tests.processes.crowd import invite
from tests.processes.visitor import Browser, Visitor
from tests.servers import Processes, free_port, until
from tests.world import make_study

pytestmark = [pytest.mark.processes, pytest.mark.postgres]
PEOPLE, ANSWERS = 8, 10
WEB, THREADS, POOL = 2, 4, 3
TASKS = 60


def opened() -> set[int]:
    """Return the processes of PostgreSQL that serve somebody's connection to this database."""
    with connection.cursor() as cursor:
        # Within a transaction PostgreSQL would show what it showed before.
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'"
        )
        return {pid for (pid,) in cursor.fetchall()}


def answer(study: Study, processes: Processes, port: int, own: set[int]) -> int:
    """Let everybody answer at once; return the most connections that were open meanwhile besides the test's own."""
    crowd = invite(processes, f"http://127.0.0.1:{port}", study.slug, people=PEOPLE, answers=ANSWERS)
    crowd.let_in()
    most = 0

    def is_done() -> bool:
        nonlocal most
        most = max(most, len(opened() - own))
        return Answer.objects.count() == PEOPLE * ANSWERS

    until(is_done, "not everybody has answered")
    crowd.seen()
    return most


def test_web_processes_and_workers_open_what_is_counted_and_no_more(processes: Processes, broker_url: str) -> None:
    study = make_study(now=clock.now(), texts=40, flawed=6, humans=12, protocol__playback="record")
    own = opened()
    settings = {
        "EARSHOT_BROKER_URL": broker_url, "EARSHOT_WEB_WORKERS": str(WEB), "EARSHOT_WEB_THREADS": str(THREADS),
        "EARSHOT_DATABASE_POOL": str(POOL),
    }  # fmt: skip
    port = free_port()
    processes.web(port, **settings)
    processes.worker(broker_url, EARSHOT_DATABASE_POOL=str(POOL))
    most = answer(study, processes, port, own)
    assert most > WEB, "more than one a process was needed"
    assert most <= checks.may_open(web=WEB, threads=THREADS, workers=2, pool=POOL)


def test_a_worker_keeps_its_connections_from_task_to_task(processes: Processes, broker_url: str) -> None:
    own, seen = opened(), set[int]()
    worker = processes.worker(broker_url)
    sends = Celery(broker=broker_url)
    tasks = iter(range(TASKS))
    # What the worker opens while it starts, for its checks, it closes before it forks.
    until(Sweep.objects.exists, "the worker doesn't sweep", alive=worker)

    def is_done() -> bool:
        seen.update(opened() - own)
        sends.send_task("core.sweep")
        return next(tasks, None) is None

    until(is_done, "the worker doesn't take all tasks", alive=worker)
    assert seen
    assert len(seen) <= checks.may_open(web=0, threads=0, workers=2, pool=POOL)


def cut_off(own: set[int]) -> int:
    """End every connection to this database except the test's own, as a restart does; return how many those were."""
    with connection.cursor() as cursor:
        ended = opened() - own
        for pid in ended:
            cursor.execute("SELECT pg_terminate_backend(%s)", [pid])
    return len(ended)


def test_nobody_notices_that_every_connection_was_cut(processes: Processes, broker_url: str) -> None:
    study = make_study(now=clock.now(), texts=40, flawed=6, humans=12, protocol__playback="record")
    own, port = opened(), free_port()
    processes.web(port, EARSHOT_BROKER_URL=broker_url, EARSHOT_WEB_WORKERS=str(WEB), EARSHOT_WEB_THREADS=str(THREADS))
    address = f"http://127.0.0.1:{port}"

    def arrive(number: int) -> int:
        return Browser(address, patience=0).open(Visitor(address, study.slug, f"visitor-{number}").link).status

    early = [Visitor(address, study.slug, f"early-{number}", patience=0) for number in range(12)]
    with ThreadPoolExecutor(8) as pool:
        for visitor in early:
            visitor.come()
        assert cut_off(own) > 1
        # Changes are not run again: their connections have to be good ones.
        assert {shown["state"] for shown in pool.map(Visitor.begin, early)} == {"trial"}
        assert cut_off(own) > 1
        assert list(pool.map(arrive, range(24))) == [200] * 24


def test_answers_given_while_connections_are_cut_are_stored_once_and_none_is_lost(
    processes: Processes, broker_url: str
) -> None:
    study = make_study(now=clock.now(), texts=40, flawed=6, humans=12, protocol__playback="record")
    own, port = opened(), free_port()
    processes.web(port, EARSHOT_BROKER_URL=broker_url, EARSHOT_WEB_WORKERS=str(WEB), EARSHOT_WEB_THREADS=str(THREADS))
    crowd = invite(processes, f"http://127.0.0.1:{port}", study.slug, people=4, answers=ANSWERS)
    crowd.let_in()
    for part in (1, 2, 3):
        until(lambda part=part: Answer.objects.count() > 8 * part, "nobody answers")  # type: ignore[misc]
        own |= {connection.connection.info.backend_pid}
        cut_off(own)
    seen = crowd.seen()
    assert {status for each in seen for status in each["replies"]} == {200}
    keys = [key for each in seen for _token, key in each["acknowledged"]]
    assert len(keys) == len(set(keys)) == 4 * ANSWERS == Answer.objects.count()

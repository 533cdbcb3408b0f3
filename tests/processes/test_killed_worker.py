"""Worker and broker are killed with work in hand: every full batch is decided, once."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from celery import Celery

from core import clock
from core.jobs import DONE, LEASE, QUEUED, RUNNING
from raters.models import Batch, Verdict
from tests.processes.crowd import violations
from tests.servers import Processes, free_port, listens, until
from tests.world import Person, make_study

pytestmark = [pytest.mark.processes, pytest.mark.broker]


def states() -> list[str]:
    return list(Batch.objects.order_by("pk").values_list("state", flat=True))


def test_every_full_batch_is_decided_once_though_worker_and_broker_die(processes: Processes) -> None:
    study = make_study(now=clock.now(), texts=40)
    for attentive in (True, False, True, False, False):
        # A person's own clock runs ahead while they rate; the batch is to be full by now.
        person = Person(study, clock.now() - timedelta(minutes=1))
        person.start().rate_batch(attentive=attentive)
    full = list(Batch.objects.filter(state=QUEUED).order_by("pk"))
    assert len(full) == 5

    port = free_port()
    url = f"redis://127.0.0.1:{port}/0"
    broker = processes.broker(port)
    with Celery(broker=url) as sender:
        for batch in full:
            sender.send_task("raters.validate_batch", args=[batch.pk])
    hanging = processes.worker(url, application="tests.processes.faulty.hanging_worker")
    until(lambda: states().count(RUNNING) == 2, "its two processes never had a batch each", alive=hanging)
    # Three messages are still with the broker; it forgets them.
    broker.kill()
    hanging.kill()
    assert not listens(port)
    assert sorted(set(states())) == sorted({QUEUED, RUNNING, "open"})

    processes.broker(port)
    sound = processes.worker(url)
    until(lambda: states().count(DONE) == 5, "batches are still waiting", alive=sound)
    decided = Batch.objects.filter(pk__in=[batch.pk for batch in full]).order_by("pk")
    assert [batch.state for batch in decided] == [DONE] * 5
    assert [batch.valid for batch in decided] == [True, False, True, False, False]
    assert sorted(batch.tries for batch in decided) == [1, 1, 1, 2, 2]
    assert sorted(Verdict.objects.values_list("batch", flat=True)) == [b.pk for b in decided if not b.valid]
    assert violations(study) == []


def test_the_job_of_a_killed_worker_process_is_free_at_once(
    processes: Processes, broker_url: str, tmp_path: Path
) -> None:
    person = Person(make_study(now=clock.now(), texts=40), clock.now() - timedelta(minutes=1))
    person.start().rate_batch()
    [full] = Batch.objects.filter(state=QUEUED)
    worker = processes.worker(
        broker_url, application="tests.processes.faulty.dying_worker", EARSHOT_TEST_KILLED=str(tmp_path / "killed")
    )
    began = clock.now()
    until(lambda: Batch.objects.get(pk=full.pk).state == DONE, "it waits for its lease", alive=worker)
    row = Batch.objects.get(pk=full.pk)
    assert (row.tries, row.valid) == (2, True)
    assert row.ended_at is not None
    assert row.ended_at - began < LEASE


def test_a_job_that_takes_long_is_kept_until_its_worker_dies(processes: Processes, broker_url: str) -> None:
    person = Person(make_study(now=clock.now(), texts=40), clock.now() - timedelta(minutes=1))
    person.start().rate_batch()
    [full] = Batch.objects.filter(state=QUEUED)

    def row() -> Batch:
        return Batch.objects.get(pk=full.pk)

    hanging = processes.worker(broker_url, application="tests.processes.faulty.hanging_worker")
    until(lambda: row().state == RUNNING, "it never begins", alive=hanging)
    # Three times its lease of two seconds, while its own beat looks for jobs whose lease ran out.
    end = clock.now() + timedelta(seconds=6)
    until(lambda: (row().lease_until or end) > end, "its lease is not renewed", alive=hanging)
    assert (row().state, row().tries) == (RUNNING, 1)
    hanging.kill()
    processes.worker(broker_url)
    until(lambda: row().state == DONE, "nobody takes it over")
    assert (row().tries, row().valid) == (2, True)

"""The row is the job: claimed by one, found again when lost, given up when hopeless."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from core import hooks, jobs, tasks
from core.registry import Registry
from raters.models import Batch
from studies.models import ClipImport
from tests.world import Person, make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def batch(now: datetime) -> Batch:
    person = Person(make_study(now=now), now).start()
    batch = Batch.objects.get(session=person.session)
    Batch.objects.filter(pk=batch.pk).update(state=jobs.QUEUED, queued_at=now, lease_until=None)
    return batch


def due(now: datetime) -> list[tuple[str, int]]:
    return list(jobs.due(now))


def test_only_one_worker_gets_a_row(batch: Batch, now: datetime) -> None:
    assert jobs.claim(Batch, batch.pk, now) is not None
    assert jobs.claim(Batch, batch.pk, now) is None


def test_a_row_whose_worker_died_is_claimed_again(batch: Batch, now: datetime) -> None:
    first = jobs.claim(Batch, batch.pk, now)
    later = now + jobs.LEASE + timedelta(seconds=1)
    second = jobs.claim(Batch, batch.pk, later)
    assert first is not None
    assert second is not None
    assert not jobs.renew(first, later, done=1, total=2)
    assert not jobs.finish(first, later)
    assert jobs.renew(second, later, done=1, total=2)
    assert jobs.finish(second, later)
    batch.refresh_from_db()
    assert (batch.state, batch.tries, batch.ended_at) == (jobs.DONE, 2, later)


def test_renewing_keeps_the_lease(batch: Batch, now: datetime) -> None:
    job = jobs.claim(Batch, batch.pk, now)
    assert job is not None
    half = now + jobs.LEASE / 2
    assert jobs.renew(job, half, done=3, total=10)
    assert jobs.claim(Batch, batch.pk, now + jobs.LEASE + timedelta(seconds=1)) is None
    batch.refresh_from_db()
    assert batch.percent == 30


def test_the_sweep_leaves_fresh_rows_to_their_message_and_finds_the_rest(batch: Batch, now: datetime) -> None:
    assert due(now) == []
    assert due(now + timedelta(seconds=10)) == [("raters.validate_batch", batch.pk)]
    jobs.claim(Batch, batch.pk, now)
    assert due(now + timedelta(seconds=10)) == []
    assert due(now + jobs.LEASE + timedelta(seconds=1)) == [("raters.validate_batch", batch.pk)]


def test_a_row_tried_too_often_is_given_up_with_a_reason(now: datetime) -> None:
    study = make_study(now=now)
    job = ClipImport.objects.create(study=study, created_at=now, queued_at=now, tries=jobs.MAX_TRIES)
    assert due(now + timedelta(seconds=10)) == []
    job.refresh_from_db()
    assert job.state == jobs.FAILED
    assert job.error


def test_an_open_batch_is_no_work_yet(now: datetime) -> None:
    Person(make_study(now=now), now).start()
    assert due(now + timedelta(days=1)) == []


def test_every_table_of_jobs_names_its_task() -> None:
    from celery import current_app

    current_app.loader.import_default_modules()
    assert {model.task_name for model in jobs.job_models()} <= set(current_app.tasks)


def test_a_chore_that_fails_keeps_no_other_from_its_turn(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    done: list[datetime] = []

    def fails(*, now: datetime) -> None:
        raise OSError("the store is away")

    def works(*, now: datetime) -> None:
        done.append(now)

    monkeypatch.setattr(hooks, "chores", Registry([fails, works]))
    tasks.sweep()
    assert len(done) == 1
    assert "fails failed" in caplog.text
    assert "the store is away" in caplog.text

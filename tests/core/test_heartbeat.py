"""The lease of what a process works on is renewed however long a step takes; only the end of the process ends that."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.db import OperationalError

from core import jobs
from core.jobs import Keeper
from studies.summaries.models import Summary
from tests.world import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


@pytest.fixture
def keeper(monkeypatch: pytest.MonkeyPatch) -> Keeper:
    """Return what keeps the leases; it has no thread, the test renews."""
    keeper = Keeper()
    monkeypatch.setattr(jobs, "keeper", keeper)
    return keeper


@pytest.fixture
def row(now: datetime) -> Summary:
    return Summary.objects.create(study=make_study(now=now), name="launch", queued_at=now)


def test_a_lease_is_renewed_until_the_job_is_finished(keeper: Keeper, row: Summary, now: datetime) -> None:
    job = jobs.claim(Summary, row.pk, now)
    assert job is not None
    for seconds in range(5, 300, 5):
        keeper.renew(now + timedelta(seconds=seconds))
        assert jobs.claim(Summary, row.pk, now + timedelta(seconds=seconds + 4)) is None
    assert jobs.finish(job, now + timedelta(minutes=5))
    assert keeper.claims == {}
    keeper.renew(now + timedelta(minutes=6))
    row.refresh_from_db()
    assert row.lease_until is None


def test_a_worker_that_no_longer_renews_loses_its_job_after_half_a_minute(
    keeper: Keeper, row: Summary, now: datetime
) -> None:
    first = jobs.claim(Summary, row.pk, now)
    keeper.renew(now + timedelta(seconds=5))
    assert jobs.claim(Summary, row.pk, now + timedelta(seconds=34)) is None
    second = jobs.claim(Summary, row.pk, now + timedelta(seconds=36))
    assert first is not None
    assert second is not None
    # The first one wakes up: it is fenced off.
    keeper.claims = {(Summary, row.pk): first.tries}
    keeper.renew(now + timedelta(seconds=50))
    row.refresh_from_db()
    assert row.lease_until == now + timedelta(seconds=36) + jobs.LEASE
    assert not jobs.finish(first, now + timedelta(seconds=50))
    assert jobs.finish(second, now + timedelta(seconds=51))


def test_what_a_task_left_behind_is_kept_no_longer(keeper: Keeper, row: Summary, now: datetime) -> None:
    jobs.claim(Summary, row.pk, now)
    keeper.forget()
    keeper.renew(now + timedelta(seconds=20))
    assert jobs.claim(Summary, row.pk, now + timedelta(seconds=31)) is not None


def test_a_renewal_that_fails_is_tried_again(
    keeper: Keeper, row: Summary, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs.claim(Summary, row.pk, now)

    def fail(*_: object, **__: object) -> None:
        raise OperationalError("the database is away")

    with monkeypatch.context() as patch:
        patch.setattr(Summary._default_manager, "filter", fail)
        keeper.renew(now + timedelta(seconds=10))
    keeper.renew(now + timedelta(seconds=15))
    assert jobs.claim(Summary, row.pk, now + timedelta(seconds=44)) is None

"""A long step keeps its lease."""

from __future__ import annotations

from datetime import datetime
from threading import Event

import pytest

from analysis.data.models import Simulated
from analysis.live.models import Snapshot
from core import jobs
from core.jobs import beating
from tests.world import make_study


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("files")
def test_the_lease_is_renewed_while_the_step_computes_and_no_longer(now: datetime) -> None:
    study = make_study(now=now)
    row = Snapshot.objects.create(study=study, simulated=Simulated.WITHOUT, queued_at=now)
    job = jobs.claim(Snapshot, row.pk, now)
    assert job is not None
    later, asked = now + jobs.LEASE, [Event(), Event()]

    def clock() -> datetime:
        # The second beat begins when the first was written.
        asked[1 if asked[0].is_set() else 0].set()
        return later

    with beating(job, clock, every=0.001):
        assert asked[1].wait(30)
    row.refresh_from_db()
    assert row.lease_until == later + jobs.LEASE
    assert jobs.finish(job, later)

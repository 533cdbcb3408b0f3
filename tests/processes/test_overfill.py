"""Rule H2: sixteen raters in processes of their own reach for the last ten places, through two web processes."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

import pytest

from core import clock
from raters.models import Answer, Session, Trial
from studies.models import Pool, Study
from tests.processes.crowd import invite, violations
from tests.servers import Processes, free_port
from tests.world import Person, make_study

pytestmark = pytest.mark.processes
PEOPLE, PER_BATCH, LEFT = 16, 5, 10


@pytest.fixture
def study(processes: Processes) -> Study:
    """Make a study of ten clips wanted three times each, of whose thirty places twenty are taken."""
    now: datetime = clock.now()
    study = make_study(
        now=now,
        systems=("human",),
        texts=10,
        protocol__ratings_wanted=3,
        protocol__tests_per_batch=PER_BATCH,
        protocol__batches_per_session=1,
        protocol__playback="record",
    )
    for _ in range(4):
        Person(study, now).start()
    assert violations(study) == []
    assert places_left(study) == LEFT
    return study


def places_left(study: Study) -> int:
    rows = Pool.objects.filter(cell__study=study, cell__role="test").values_list("wanted", "taken")
    return sum(max(0, wanted - taken) for wanted, taken in rows)


def test_sixteen_processes_never_overfill_the_last_ten_places(processes: Processes, study: Study) -> None:
    port = free_port()
    processes.web(port)
    crowd = invite(processes, f"http://127.0.0.1:{port}", study.slug, people=PEOPLE, answers=PER_BATCH + 3)
    crowd.let_in()
    admitted = 0
    for seen in crowd.seen():
        # Who found no place is led to the last page (rule A11).
        is_admitted = seen["state"] != "none"
        admitted += is_admitted
        assert seen["replies"] == [200] * (1 + (PER_BATCH + 3) * is_admitted), seen
        assert seen["state"] == ("ended" if is_admitted else "none"), seen
    assert LEFT / PER_BATCH <= admitted <= LEFT
    assert violations(study) == []
    assert places_left(study) == 0
    tests = Trial.objects.filter(session__study=study, pool__isnull=False)
    assert tests.count() == (4 + admitted) * PER_BATCH
    assert tests.filter(surplus=False).count() == 30
    assert Answer.objects.count() == admitted * (PER_BATCH + 3)
    outcomes = Counter(Session.objects.filter(study=study).values_list("outcome", flat=True))
    assert outcomes == {"": 4, "complete": admitted, "no_place": PEOPLE - admitted}


def test_the_overfill_is_noticed_when_the_lock_is_taken_out(processes: Processes, study: Study) -> None:
    port = free_port()
    processes.web(port, application="tests.processes.faulty.unlocked")
    crowd = invite(processes, f"http://127.0.0.1:{port}", study.slug, people=PEOPLE, answers=0)
    crowd.let_in()
    crowd.seen()
    assert any("without surplus" in breach for breach in violations(study))

"""One rater's way through a study, by the services."""

from __future__ import annotations

from datetime import datetime

import pytest

from raters.models import Answer, Batch, Rating, Trial
from raters.rating import batches
from tests.world import Person, make_study

pytestmark = pytest.mark.django_db


def test_a_whole_session_stores_one_answer_a_trial_and_ends_complete(now: datetime) -> None:
    person = Person(make_study(now=now, texts=24), now).start()
    for _ in range(3):
        person.rate_batch()
    assert person.is_done
    person.session.refresh_from_db()
    assert (person.session.step, person.session.outcome) == ("ended", "complete")
    assert Answer.objects.count() == Rating.objects.count() == Trial.objects.count() == 30
    assert [batches.validate(pk=pk, now=person.now) for pk in person.filled] == [True] * 3
    assert Batch.objects.filter(valid=True).count() == 3
    assert Trial.objects.filter(usable=True).count() == 30

"""Arriving: one session an external id, one person an identity."""

from __future__ import annotations

from datetime import datetime

import pytest

from core.errors import Conflict
from raters.models import Identity, Rater, Session
from raters.services import sessions
from raters.sources.base import Arrival
from studies.models import Study
from tests.world import Person, make_study

pytestmark = pytest.mark.django_db


def arrival(person: str = "p1", session: str = "s1") -> Arrival:
    return Arrival(source="prolific", person=person, study="ext", session=session)


def test_the_same_link_twice_is_one_session(now: datetime) -> None:
    study = make_study(now=now)
    first = sessions.arrive(study_id=study.pk, arrival=arrival(), now=now)
    assert sessions.arrive(study_id=study.pk, arrival=arrival(), now=now) == first
    assert (Rater.objects.count(), Identity.objects.count(), Session.objects.count()) == (1, 1, 1)


def test_a_session_id_with_another_person_is_refused(now: datetime) -> None:
    study = make_study(now=now)
    sessions.arrive(study_id=study.pk, arrival=arrival(), now=now)
    with pytest.raises(Conflict) as refused:
        sessions.arrive(study_id=study.pk, arrival=arrival(person="p2"), now=now)
    assert refused.value.code == "other_person"


def test_one_person_in_two_studies_is_one_rater(now: datetime) -> None:
    for number in (1, 2):
        sessions.arrive(study_id=make_study(now=now).pk, arrival=arrival(session=f"s{number}"), now=now)
    assert (Rater.objects.count(), Session.objects.count()) == (1, 2)


def test_a_finished_person_cannot_take_part_again(now: datetime) -> None:
    study = make_study(now=now, protocol__batches_per_session=1)
    Person(study, now, name="p1").start().rate_batch()
    with pytest.raises(Conflict) as refused:
        sessions.arrive(study_id=study.pk, arrival=arrival(session="s2"), now=now)
    assert refused.value.code == "already_took_part"


@pytest.mark.parametrize("state", ["draft", "paused", "closed"])
def test_a_study_that_is_not_live_takes_nobody_new(now: datetime, state: str) -> None:
    study = make_study(now=now)
    known = sessions.arrive(study_id=study.pk, arrival=arrival(), now=now)
    Study.objects.filter(pk=study.pk).update(state=state)
    with pytest.raises(Conflict) as refused:
        sessions.arrive(study_id=study.pk, arrival=arrival("p2", "s2"), now=now)
    assert refused.value.code == "not_open"
    assert sessions.arrive(study_id=study.pk, arrival=arrival(), now=now) == known


def test_consent_keeps_a_fingerprint_of_the_text_that_was_agreed_to(now: datetime) -> None:
    person = Person(make_study(now=now), now)
    session = sessions.consent(session_id=person.session.pk, agreed=True, now=now)
    assert (session.step, session.consented_at, len(session.consent_sha256)) == ("instructions", now, 64)


def test_declining_ends_the_session(now: datetime) -> None:
    person = Person(make_study(now=now), now)
    session = sessions.consent(session_id=person.session.pk, agreed=False, now=now)
    assert (session.step, session.outcome) == ("ended", "declined")


def test_trials_come_after_the_instructions(now: datetime) -> None:
    person = Person(make_study(now=now), now)
    with pytest.raises(Conflict) as refused:
        person.load()
    assert refused.value.code == "not_started"

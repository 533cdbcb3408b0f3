"""Submissions are read, sorted in, and acted on: who gives a place back, or runs out of time, frees what they held."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import httpx
import pytest

from core.errors import Conflict, Invalid
from core.jobs import DONE, FAILED, QUEUED, due
from demo.prolific import people
from raters.models import Answer, Batch, PlatformStudy, Session, Submission, Trial
from raters.payments import platform_studies, reconciling
from raters.people import tombstones
from raters.privacy import erasing, requests
from raters.rating import finishing
from raters.rating.models import CLOSED, EXPIRED, OPEN
from raters.sessions import lifecycle
from raters.sources.base import RaterArrival
from studies.models import Study
from tests.raters.payments.world import World, make
from tests.world import Person, make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(now: datetime) -> World:
    return make(now)


def held(person: Person) -> int:
    return Trial.objects.filter(session=person.session, holds=True).count()


def batches(person: Person) -> list[str]:
    return list(Batch.objects.filter(session=person.session).order_by("number").values_list("state", flat=True))


@pytest.mark.parametrize("number", [21, 40, 250])
def test_crowd_06_every_submission_is_stored_once_and_set_beside_our_sessions(world: World, number: int) -> None:
    people.made_up(world.fake.account, number)
    world.platform.ext_study = people.STUDY
    world.platform.save()
    assert world.read()
    assert world.read()
    assert Submission.objects.count() == number
    rows = reconciling.rows(world.study.pk, reconciling.platforms(world.study.pk))
    assert len(rows) == number
    assert {row.differs for row in rows} == {("not_here",)}


def test_reading_costs_the_same_statements_however_many_submissions_fit_in_a_part(
    world: World, django_assert_max_num_queries: Any
) -> None:
    people.made_up(world.fake.account, 200)
    world.platform.ext_study = people.STUDY
    world.platform.save()
    world.read()
    with django_assert_max_num_queries(31):
        world.read()


def test_crowd_08_a_returned_place_frees_what_the_session_held_and_keeps_what_was_given(world: World) -> None:
    person = world.arrive("ann").start()
    person.rate()
    assert held(person) == 7
    world.there(person).status = "RETURNED"
    world.read()
    assert held(person) == 0
    assert batches(person) == [CLOSED]
    session = Session.objects.get(pk=person.session.pk)
    assert (session.outcome, session.payable) == (Session.Outcome.WITHDRAWN, False)
    assert Answer.objects.filter(trial__session=session).count() == 1


def test_crowd_08_a_place_out_of_time_frees_its_clips_and_a_late_end_is_kept_and_flagged(world: World) -> None:
    person = world.arrive("ann").start()
    person.rate()
    world.there(person).status = "TIMED-OUT"
    world.read()
    assert batches(person) == [EXPIRED]
    assert held(person) == 0
    person.now = world.now
    person.load().rate()
    assert batches(person)[0] == OPEN
    person.rate_batch()
    late = Trial.objects.filter(session=person.session, answered_at__isnull=False, late=True)
    assert late.count() == 9
    finishing.leave(session_id=person.session.pk, outcome=Session.Outcome.COMPLETE, now=person.now)
    world.read()
    (row,) = reconciling.rows(world.study.pk, reconciling.platforms(world.study.pk))
    assert "finished_late" in row.differs
    assert row.payable is True


def test_a_place_is_given_back_once_so_that_whoever_goes_on_is_left_alone(world: World) -> None:
    person = world.arrive("ann").start()
    person.rate()
    world.there(person).status = "TIMED-OUT"
    world.read()
    person.now = world.now
    person.load().rate()
    world.read()
    assert batches(person) == [OPEN]


def test_whoever_goes_on_by_a_new_place_keeps_what_they_hold_when_the_old_one_is_returned(world: World) -> None:
    person = world.arrive("ann").start()
    first = world.there(person)
    Session.objects.filter(pk=person.session.pk).update(ext_session="s-second")
    world.fake.submission("s-second", participant="ann")
    first.status = "RETURNED"
    world.read()
    assert held(person) == 7
    assert Submission.objects.get(ext_session="s-second").session_id == person.session.pk
    rows = reconciling.rows(world.study.pk, [world.platform])
    assert [(row.session, row.ext_session) for row in rows] == [(person.session.pk, "s-second"), (None, first.id)]


def test_the_place_that_somebody_left_for_a_new_one_is_erased_with_them(world: World) -> None:
    person = world.arrive("ann")
    session, old = person.session, person.session.ext_session
    world.read()
    arrival = RaterArrival("prolific", "ann", session.ext_study, "another-place")
    assert lifecycle.arrive(study_id=world.study.pk, arrival=arrival, now=world.now) == session
    world.read()
    left = Submission.objects.get(ext_session=old)
    assert left.session == session
    rows = reconciling.rows(world.study.pk, [world.platform])
    assert [(row.session, row.submission) for row in rows] == [(session.pk, None), (None, left)]
    erasure = requests.erase_person(rater_id=session.rater_id, now=world.now, by=None)
    assert erasing.carry_out(pk=erasure.pk, clock=world.clock)
    left.refresh_from_db()
    assert left.is_erased
    world.read()
    assert not Submission.objects.filter(ext_session=old).exists()


def test_nobody_is_named_where_submissions_are_kept_and_another_person_is_seen(world: World) -> None:
    person, thief = world.finish("ann"), world.finish("eve")
    world.there(thief).participant = "somebody-else"
    world.read()
    assert world.submission(person).same_person is True
    assert world.submission(thief).same_person is False
    kept = [str(value) for row in Submission.objects.values() for value in row.values()]
    assert not [value for value in kept if value in {"ann", "eve", "somebody-else"}]
    rows = reconciling.rows(world.study.pk, reconciling.platforms(world.study.pk))
    assert [row.differs for row in rows] == [(), ("other_person",)]


def test_whoever_was_erased_here_does_not_come_back_by_a_reading(world: World) -> None:
    person = world.finish("ann")
    world.read()
    row = world.submission(person)
    row.ext_session = tombstones.tombstone("prolific", "ext", row.ext_session)
    row.save()
    world.read()
    (left,) = Submission.objects.all()
    assert left.pk == row.pk
    assert left.is_erased
    with pytest.raises(Conflict):
        world.prepare("approve")


def test_bonuses_are_read_of_those_who_were_paid(world: World) -> None:
    person = world.finish("ann")
    world.there(person).status = "APPROVED"
    world.there(person).bonuses = [150]
    world.read()
    assert world.submission(person).bonus == Decimal("1.50")
    looks = world.fake.asked(f"/{person.session.ext_session}/")
    world.read()
    assert world.fake.asked(f"/{person.session.ext_session}/") == looks


def test_a_platform_that_is_away_changes_nothing_and_is_asked_again_later(world: World, settings: Any) -> None:
    world.arrive("ann").start()
    world.fake.server.trouble.extend([httpx.ConnectError("away")] * 9)
    assert not world.read()
    world.platform.refresh_from_db()
    assert world.platform.state == FAILED
    assert "reached" in world.platform.error
    settings.PROLIFIC_TOKEN = "t"
    assert platform_studies.queue_due(now=world.now + timedelta(minutes=1)) == 0
    assert platform_studies.queue_due(now=world.now + timedelta(minutes=6)) == 1


def test_live_and_paused_studies_are_read_every_two_minutes_with_a_token_alone(world: World, settings: Any) -> None:
    world.read()
    later = world.now + timedelta(minutes=3)
    assert platform_studies.queue_due(now=later) == 0
    settings.PROLIFIC_TOKEN = "t"
    assert platform_studies.queue_due(now=world.now + timedelta(minutes=1)) == 0
    Study.objects.filter(pk=world.study.pk).update(state="closed")
    assert platform_studies.queue_due(now=later) == 0
    Study.objects.filter(pk=world.study.pk).update(state="paused")
    assert platform_studies.queue_due(now=later) == 1
    assert ("raters.read_submissions", world.platform.pk) in list(due(later + timedelta(seconds=5)))


def test_without_a_token_a_reading_ends_with_a_sentence(world: World) -> None:
    platform_studies.request_reading(platform_id=world.platform.pk, now=world.now)
    assert not platform_studies.read(pk=world.platform.pk, clock=world.clock)
    world.platform.refresh_from_db()
    assert "token" in world.platform.error


def test_a_study_there_belongs_to_one_study_here_and_can_be_unlinked_again(world: World, now: datetime) -> None:
    other = make_study(now=now)
    with pytest.raises(Conflict):
        platform_studies.link(study_id=other.pk, source="prolific", ext_study="ext", by=world.user, now=now)
    with pytest.raises(Invalid):
        platform_studies.link(
            study_id=other.pk, source="prolific", ext_study="https://app.prolific.com/x", by=world.user, now=now
        )
    again = platform_studies.link(study_id=world.study.pk, source="prolific", ext_study=" ext ", by=world.user, now=now)
    assert again.pk == world.platform.pk
    platform_studies.unlink(platform=again)
    assert (
        platform_studies.link(study_id=other.pk, source="prolific", ext_study="ext", by=world.user, now=now).state
        == DONE
    )
    assert PlatformStudy.objects.exclude(state=QUEUED).count() == 1

"""Raters who left for a slow line or found no place may return until the platform has settled their pay."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import pytest
from django.db.models import F

from core.errors import Conflict
from raters.models import PaymentList, Session, Submission
from raters.sessions import lifecycle, slow_line
from studies.pool.models import Pool
from tests.raters.payments.world import World, make, states
from tests.world import Person

Kind = PaymentList.Kind


@pytest.fixture
def world(now: datetime, db: None) -> World:
    return make(now, crowd__no_place_code="FULL-1", payment__no_place_rate=0.25, payment__screened_out_rate=0.5)


def left_for_the_line(world: World) -> Person:
    world.fake.study.screened_out_code = "OUT-1"
    person = world.arrive("ann").start()
    slow_line.leave(session_id=person.session.pk, now=world.now)
    world.there(person).hand_in("OUT-1", minutes=10)
    return person


def without_place(world: World) -> Person:
    world.fake.study.screened_out_code = "FULL-1"
    Pool.objects.update(taken=F("wanted"))
    person = world.arrive("ann")
    world.there(person).hand_in("FULL-1", minutes=10)
    Pool.objects.update(taken=0)
    return person


def returns(world: World, person: Person) -> bool:
    lifecycle.try_again(session_id=person.session.pk, now=world.now)
    return not Session.objects.get(pk=person.session.pk).outcome


@pytest.mark.parametrize("ended", [left_for_the_line, without_place])
def test_before_a_list_is_confirmed_they_return_and_are_not_on_it(
    world: World, ended: Callable[[World], Person]
) -> None:
    person = ended(world)
    world.read()
    assert states(world.prepare(Kind.SCREEN_OUT)) == ["prepared"]
    assert returns(world, person)
    with pytest.raises(Conflict, match="nobody"):
        world.prepare(Kind.SCREEN_OUT)


@pytest.mark.parametrize("ended", [left_for_the_line, without_place])
def test_after_it_they_stay_ended_and_are_paid_once(world: World, ended: Callable[[World], Person]) -> None:
    person = ended(world)
    world.read()
    listed = world.confirm(world.prepare(Kind.SCREEN_OUT))
    assert not returns(world, person)
    world.carry_out(listed)
    assert states(listed) == ["done"]
    assert not returns(world, person)
    world.read()
    assert world.submission(person).state == Submission.State.SCREENED_OUT
    assert not returns(world, person)


def test_a_draft_from_which_a_rater_returned_is_refused(world: World) -> None:
    person = left_for_the_line(world)
    world.read()
    listed = world.prepare(Kind.SCREEN_OUT)
    assert returns(world, person)
    with pytest.raises(Conflict, match="has changed"):
        world.confirm(listed)

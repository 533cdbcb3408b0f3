"""The stand-in shows the people of a study here as they are by now, a few of them with something to find."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.core.management import CommandError, call_command

from demo.prolific import people
from demo.prolific.account import Account
from raters.models import Session
from raters.services import sessions
from tests.world import Person, make_study

pytestmark = pytest.mark.django_db


def test_people_of_a_study_appear_and_hand_in_when_they_are_done(now: datetime) -> None:
    study = make_study(now=now, crowd__completion_code="DONE-1")
    account = Account()
    guests = [Person(study, now) for _number in range(14)]
    people.mirror(account, study.slug)
    assert {each.status for each in account.of_study("ext")} == {"ACTIVE"}
    for guest in guests[1:]:
        ended = now + timedelta(minutes=9)
        sessions.leave(session_id=guest.session.pk, outcome=Session.Outcome.COMPLETE, now=ended)
    people.mirror(account, study.slug)
    found = {each.participant: each for each in account.of_study("ext")}
    assert len(found) == 14
    assert found[guests[0].name].status == "ACTIVE"
    codes = [found[guest.name].code for guest in guests[1:]]
    assert codes.count("DONE-1") >= 10
    assert len(set(codes)) > 1


def test_a_study_that_is_not_there_is_named(now: datetime) -> None:
    with pytest.raises(CommandError, match="no study"):
        call_command("fake_prolific", study="nothing-here")

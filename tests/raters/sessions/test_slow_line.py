"""Raters who leave before the first answer because their line is slow: screened out, and counted."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from django.db.models import F
from django.test import Client

from analysis.exports.checks import NAMES
from analysis.live.result import Flow
from analysis.live.work_page import flow
from raters.models import Answer, Batch, CheckResult, Session
from raters.rating import finishing, monitor
from raters.sessions import checks, slow_line
from studies.launch import states
from studies.models import Study
from studies.pool.models import Pool
from tests import world
from tests.raters.sessions.test_pages import arrive, begin, where

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


@pytest.fixture
def study(now: datetime, files: Any) -> Study:
    return world.make_study(now=now, crowd__screened_out_code="OUT1", crowd__withdrawn_code="LEFT1")


def leave(client: Client, study: Study) -> str:
    client.post(f"/rate/{study.slug}/leave/", {"why": "line"})
    return client.get(f"/rate/{study.slug}/end/").text


@pytest.mark.parametrize(("rate", "is_promised"), [(1.5, True), (None, False)])
def test_whoever_leaves_for_a_slow_line_is_screened_out_and_promised_what_is_set(
    client: Client, study: Study, rate: float | None, is_promised: bool
) -> None:
    states.change_settings(study=study, changes={"payment.screened_out_rate": rate})
    begin(client, study)
    trial = client.get(f"/rate/{study.slug}/trial/").text
    end = leave(client, study)
    session = Session.objects.get()
    assert (session.outcome, session.payable) == ("screened_out", True)
    assert "You left before the first clip" in end
    assert "requirements" not in end
    assert "OUT1" in end
    for page in (trial, end):
        assert ("You are paid for this time." in page) is is_promised


def test_the_places_go_back_and_a_second_click_changes_nothing(client: Client, study: Study) -> None:
    begin(client, study)
    client.get(f"/rate/{study.slug}/trial/")
    assert Pool.objects.filter(taken__gt=0).exists()
    leave(client, study)
    ended = Session.objects.get().ended_at
    leave(client, study)
    assert Session.objects.get().ended_at == ended
    assert CheckResult.objects.count() == 1
    assert not Pool.objects.filter(taken__gt=0).exists()
    assert set(Batch.objects.values_list("state", flat=True)) == {"closed"}


def test_once_an_answer_is_there_a_tab_left_behind_ends_nothing(study: Study, now: datetime) -> None:
    person = world.Person(study, now).start()
    person.rate()
    client = world.carry(person)
    leave(client, study)
    assert where(client, study) == "trial"
    assert not CheckResult.objects.exists()


def test_before_the_trials_there_is_no_line_to_leave_for(client: Client, study: Study, now: datetime) -> None:
    arrive(client, study)
    client.post(f"/rate/{study.slug}/consent/", {"decision": "agree", "agreed": "on"})
    slow_line.leave(session_id=Session.objects.get().pk, now=now)
    assert where(client, study) == "instructions"
    assert not CheckResult.objects.exists()


def test_researchers_see_how_many_left_for_it(client: Client, study: Study) -> None:
    begin(client, study)
    leave(client, study)
    session = Session.objects.get()
    counts = monitor.flow(study.pk, simulated=False)
    assert (counts["screened_out"], counts["slow_line"]) == (1, 1)
    exits = {label: people for label, people, is_exit in flow(Flow(**counts)) if is_exit}
    assert exits["left for a slow connection"] == 1
    assert "left out by the first checks" not in exits
    assert checks.failed(study.pk) == {session.pk: ["line"]}
    assert "line" in NAMES.split("|")


def come_back(client: Client, study: Study, way: str) -> str:
    if way == "link":
        arrive(client, study)
    elif way == "another browser":
        client = Client()
        arrive(client, study)
    else:
        assert "Try again" in client.get(f"/rate/{study.slug}/end/").text
        client.post(f"/rate/{study.slug}/end/")
    return where(client, study)


@pytest.mark.parametrize("way", ["link", "another browser", "button"])
def test_a_rater_who_left_for_a_slow_line_returns_on_a_better_one(client: Client, study: Study, way: str) -> None:
    begin(client, study)
    client.get(f"/rate/{study.slug}/trial/")
    assert "can come back by the same link" in client.get(f"/rate/{study.slug}/trial/").text
    assert "open the study’s link again" in leave(client, study)
    assert come_back(client, study, way) == "trial"
    session = Session.objects.get()
    assert (session.outcome, session.payable, session.ended_at) == ("", None, None)
    assert monitor.flow(study.pk, simulated=False)["slow_line"] == 0
    assert checks.failed(study.pk) == {}


def test_one_can_leave_and_return_again_and_then_complete(client: Client, study: Study, now: datetime) -> None:
    person = world.Person(study, now).start()
    client = world.carry(person)
    for _ in range(5):
        client.get(f"/rate/{study.slug}/trial/")
        leave(client, study)
        client.post(f"/rate/{study.slug}/end/")
    person.load()
    assert Pool.objects.filter(taken__gt=0).exists()
    while not person.is_done:
        person.rate()
    assert Session.objects.get().outcome == "complete"
    assert Batch.objects.count() == 1
    assert not Answer.objects.filter(trial__usable=False).exists()


def test_a_new_submission_of_the_same_person_continues_the_session(client: Client, study: Study) -> None:
    begin(client, study)
    leave(client, study)
    arrive(client, study, "p1", "another-submission")
    session = Session.objects.get()
    assert (session.outcome, session.ext_session) == ("", "another-submission")


@pytest.mark.parametrize("state", ["paused", "closed"])
def test_nobody_returns_to_a_study_that_takes_nobody(client: Client, study: Study, state: str) -> None:
    begin(client, study)
    leave(client, study)
    Study.objects.update(state=state)
    client.post(f"/rate/{study.slug}/end/")
    assert Session.objects.get().outcome == "screened_out"
    assert ("Try again" in client.get(f"/rate/{study.slug}/end/").text) == (state == "paused")


def test_nobody_returns_to_a_full_study(client: Client, study: Study) -> None:
    begin(client, study)
    leave(client, study)
    Pool.objects.update(taken=F("wanted"))
    client.post(f"/rate/{study.slug}/end/")
    assert Session.objects.get().outcome == "screened_out"


def test_a_rater_whose_answers_are_being_deleted_does_not_return(client: Client, study: Study) -> None:
    begin(client, study)
    leave(client, study)
    client.post(f"/rate/{study.slug}/your-data/", {"answers": "delete"})
    assert "Try again" not in client.get(f"/rate/{study.slug}/end/").text
    arrive(client, study)
    assert Session.objects.get().outcome == "screened_out"


def test_a_rater_left_out_by_a_check_does_not_return(client: Client, study: Study, now: datetime) -> None:
    begin(client, study)
    finishing.leave(session_id=Session.objects.get().pk, outcome=Session.Outcome.SCREENED_OUT, now=now)
    assert "Try again" not in client.get(f"/rate/{study.slug}/end/").text
    arrive(client, study)
    client.post(f"/rate/{study.slug}/end/")
    assert Session.objects.get().outcome == "screened_out"

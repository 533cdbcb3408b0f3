"""Rule A11: whoever comes while every place is taken is sent away, may come back, and is never complete for nothing."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.db.models import F
from django.test import Client

from core import clock
from raters.models import Answer, Session, Trial
from raters.payments import pay
from raters.rating import batches, places
from raters.sessions import lifecycle
from raters.simulation import simulated_sessions
from raters.sources.base import RaterArrival
from studies.definition import presets
from studies.definition.parsing import change
from studies.models import Pool, Study
from tests import kinds, world
from tests.passages import Listener, make_passages
from tests.raters.sessions.test_pages import arrive, where
from tests.world import Person

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
CODES = {"crowd__completion_code": "DONE1", "crowd__no_place_code": "FULL1"}
SP_MCQA = presets.get("sp-mcqa").definition.protocol.model_dump()
# Thirty places for test clips, and batches of five.
THIRTY: dict[str, Any] = {
    "systems": ("human",),
    "texts": 10,
    "protocol__ratings_wanted": 3,
    "protocol__tests_per_batch": 5,
    "protocol__batches_per_session": 1,
}


def ends(study: Study) -> list[tuple[str, bool | None]]:
    """Return how the sessions ended, and whether they are paid, in the order of arrival."""
    return list(Session.objects.filter(study=study).order_by("pk").values_list("outcome", "payable"))


def fill(study: Study) -> None:
    """Take every place for good."""
    Pool.objects.filter(cell__study=study, cell__role="test").update(taken=F("wanted"))


def come(study: Study, person: str) -> tuple[Client, str]:
    """Open the study's link in a new browser and go as far as one gets; return where that is."""
    client = Client()
    arrive(client, study, person, f"s-{person}")
    client.post(f"/rate/{study.slug}/consent/", {"decision": "agree", "agreed": "on"})
    client.post(f"/rate/{study.slug}/instructions/")
    client.get(f"/rate/{study.slug}/trial/")
    return client, where(client, study)


def last_page(client: Client, study: Study) -> str:
    return str(client.get(f"/rate/{study.slug}/end/").text)


@pytest.fixture
def passages(now: datetime) -> Study:
    """The preset's own protocol: two raters a passage, two batches of five."""
    protocol = {f"protocol__{name}": value for name, value in SP_MCQA.items()}
    return make_passages(now=now, systems=("a", "b"), passages=5, **protocol, **CODES)


@pytest.fixture
def full(now: datetime) -> Study:
    study = world.make_study(now=now, **THIRTY, **CODES)
    fill(study)
    return study


def test_whoever_comes_while_two_hold_every_place_is_sent_away_and_comes_back(passages: Study) -> None:
    """Two systems read each passage, and nobody meets a passage twice: four people hold all places."""
    now = clock.now()
    browsers = [come(passages, f"p{number}") for number in range(6)]
    assert [page for _client, page in browsers] == ["trial"] * 4 + ["end"] * 2
    page = last_page(browsers[5][0], passages)
    assert "All places are taken at the moment" in page
    assert int(re.findall(r"Come back in (\d+) minutes", page)[0]) in {29, 30}
    assert ("FULL1" in page, "DONE1" in page) == (True, False)
    assert 'href="https://app.prolific.com/submissions/complete?cc=FULL1"' in page
    assert ends(passages)[4:] == [("no_place", False)] * 2
    assert batches.expire_idle(now=now + timedelta(minutes=31)) == 4
    client = browsers[5][0]
    assert "Try again" in last_page(client, passages)
    assert client.post(f"/rate/{passages.slug}/end/")["Location"] == f"/rate/{passages.slug}/consent/"
    assert ends(passages)[5] == ("", None)


def test_who_was_sent_away_returns_by_the_same_link_and_ends_complete(now: datetime) -> None:
    study = make_passages(now=now, protocol__ratings_wanted=1, protocol__most_ratings=2)
    Listener(study, now, name="holds").start()
    sent_away = Listener(study, now, name="back")
    assert ends(study)[1] == ("no_place", False)
    assert batches.expire_idle(now=now + timedelta(minutes=31)) == 1
    again = Listener(study, now + timedelta(minutes=32), name="back")
    assert again.session == sent_away.session
    again.start().finish()
    assert ends(study)[1] == ("complete", True)
    assert Answer.objects.filter(trial__session=again.session).count() == 1


def test_who_was_sent_away_may_also_come_with_a_new_submission(now: datetime) -> None:
    study = world.make_study(now=now, **THIRTY)
    fill(study)
    first = RaterArrival(source="prolific", person="ann", study="ext", session="s1")
    second = RaterArrival(source="prolific", person="ann", study="ext", session="s2")
    assert lifecycle.arrive(study_id=study.pk, arrival=first, now=now).outcome == "no_place"
    Pool.objects.update(taken=0)
    session = lifecycle.arrive(study_id=study.pk, arrival=second, now=now)
    assert (session.step, session.outcome, Session.objects.count()) == ("consent", "", 1)


def test_whoever_loses_the_last_place_on_the_way_to_it_is_not_complete(now: datetime) -> None:
    study = world.make_study(now=now, **THIRTY)
    person = Person(study, now)
    fill(study)
    person.start()
    assert person.is_done
    assert ends(study) == [("no_place", False)]
    Pool.objects.update(taken=0)
    lifecycle.try_again(session_id=person.session.pk, now=now)
    person.load().rate_batch()
    assert ends(study) == [("complete", True)]


def test_whoever_has_answered_ends_complete_though_nothing_is_left(now: datetime) -> None:
    study = world.make_study(now=now, **{**THIRTY, "protocol__batches_per_session": 3, "texts": 5})
    person = Person(study, now).start()
    person.rate_batch()
    assert person.is_done
    assert ends(study) == [("complete", True)]


def test_a_full_study_says_so_and_takes_nobody(full: Study) -> None:
    client, page = come(full, "late")
    assert page == "end"
    assert "This study is full" in last_page(client, full)
    assert "FULL1" in last_page(client, full)
    assert ends(full) == [("no_place", False)]
    assert not Trial.objects.exists()
    assert Session.objects.get().consented_at is None


def test_a_study_of_thirty_places_takes_no_answers_for_more(now: datetime) -> None:
    study = world.make_study(now=now, **{**THIRTY, "protocol__batches_per_session": 2})
    for _ in range(40):
        person = Person(study, now)
        if not person.session.outcome:
            person.start()
            while not person.is_done:
                person.rate_batch()
            for pk in person.filled:
                batches.validate(pk=pk, now=person.now)
    tests = Trial.objects.filter(pool__isnull=False, answered_at__isnull=False)
    assert tests.filter(surplus=False).count() == tests.count() == 30
    assert ends(study) == [("complete", True)] * 3 + [("no_place", False)] * 37


def test_the_last_places_are_filled_up_for_the_rater_who_takes_them(now: datetime) -> None:
    study = world.make_study(now=now, **THIRTY)
    fill(study)
    Pool.objects.filter(pk=Pool.objects.filter(cell__role="test").earliest("pk").pk).update(taken=2)
    Person(study, now).start().rate_batch()
    tests = Trial.objects.filter(pool__isnull=False)
    assert (tests.count(), tests.filter(surplus=True).count()) == (5, 4)
    assert Person(study, now).session.outcome == "no_place"


@pytest.mark.parametrize("kind", sorted({preset.definition.task_type for preset in presets.by_name().values()}))
def test_no_task_completes_for_nothing(kind: str, now: datetime) -> None:
    study = kinds.make(kind, now=now)
    before = Person(study, now)
    fill(study)
    before.start()
    Person(study, now)
    assert ends(study) == [("no_place", False)] * 2


@pytest.mark.parametrize("source", ["mturk", "open", "template"])
def test_other_sources_send_away_and_take_back_as_well(source: str, now: datetime) -> None:
    study = world.make_study(now=now, **THIRTY, **CODES, crowd__source=source, crowd__return_url="")
    fill(study)
    arrival = RaterArrival(source, "ann", "ext", "s1", passed_on=source == "mturk")
    session = lifecycle.arrive(study_id=study.pk, arrival=arrival, now=now)
    person = Person.__new__(Person)
    person.study, person.session = study, session
    page = last_page(world.carry(person), study)
    assert "This study is full" in page
    assert ("FULL1" in page) == (source != "open")
    Pool.objects.update(taken=0)
    assert lifecycle.arrive(study_id=study.pk, arrival=arrival, now=now) == session
    session.refresh_from_db()
    assert (session.step, session.outcome, session.payable) == ("consent", "", None)


def test_no_place_is_paid_where_the_study_pays_it(full: Study, now: datetime) -> None:
    full.draft = change(full.draft, {"payment.no_place_rate": 0.25, "payment.rate": 5})
    full.save()
    client, _page = come(full, "late")
    assert "You are paid for coming." in last_page(client, full)
    assert ends(full) == [("no_place", True)]
    [work] = pay.work(full.pk).values()
    assert pay.owed(full.definition.payment, work) == Decimal("0.25")


def test_simulated_raters_and_previews_are_not_stopped_by_a_full_study(full: Study, now: datetime) -> None:
    done = simulated_sessions.simulate(study_id=full.pk, raters=12, seed=1, careless=0, now=now)
    # Twelve times five test clips and three traps, twice the places: the rest is surplus, as before.
    assert (done.sessions, done.answers) == (12, 96)
    arrival = RaterArrival("prolific", "preview-x", "ext", "x", preview=True)
    session = lifecycle.arrive(study_id=full.pk, arrival=arrival, now=now)
    assert session.outcome == ""


@pytest.mark.parametrize("state", ["paused", "closed"])
def test_nobody_is_readmitted_while_the_study_takes_nobody(full: Study, now: datetime, state: str) -> None:
    person = Person(full, now)
    Pool.objects.update(taken=0)
    Study.objects.update(state=state)
    lifecycle.try_again(session_id=person.session.pk, now=now)
    assert ends(full) == [("no_place", False)]
    assert ("This study has ended" in last_page(world.carry(person), full)) == (state == "closed")


def test_a_study_is_full_only_when_nothing_can_come_back(now: datetime, files: Path) -> None:
    study = world.make_study(now=now, **THIRTY)
    people = [Person(study, now).start() for _ in range(6)]
    assert Person(study, now).session.outcome == "no_place"
    assert places.minutes_to_wait(study.pk, now) == 30
    assert places.full([study.pk]) == set()
    for person in people:
        person.rate_batch()
    assert places.minutes_to_wait(study.pk, now) == 1
    for person in people:
        batches.validate(pk=person.filled[0], now=person.now)
    assert places.minutes_to_wait(study.pk, now) is None
    assert places.full([study.pk]) == {study.pk}

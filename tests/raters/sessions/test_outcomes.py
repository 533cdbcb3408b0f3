"""How a session ends: the server decides, each outcome has its code and its pay, and its page can be opened again."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.db.models import F
from django.test import Client

from raters.models import Answer, Session
from raters.people.models import PAYABLE
from raters.rating import finishing
from raters.sessions import endings
from studies.definition.settings.crowd import CODES
from studies.models import Pool, Study
from tests import world
from tests.raters.sessions.test_pages import arrive, begin, where
from tests.world import Person

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
OUTCOMES = [outcome for outcome in Session.Outcome if outcome]
GIVEN = {outcome: f"CODE-{number}" for number, outcome in enumerate(CODES)}
SET = {f"crowd__{name}": GIVEN[outcome] for outcome, name in CODES.items()}


@pytest.fixture
def study(now: datetime, files: Path) -> Study:
    return world.make_study(now=now, **SET, texts__debrief="It was about voices.")


def ended(client: Client, study: Study, outcome: Session.Outcome, now: datetime) -> str:
    """Return the last page of somebody who ended like this."""
    begin(client, study)
    if outcome == Session.Outcome.NO_PLACE:
        # Others hold every place; whoever found a free one would be led on.
        Person(study, now).start()
        Pool.objects.filter(cell__role="test").update(taken=F("wanted"))
    finishing.leave(session_id=Session.objects.earliest("pk").pk, outcome=outcome, now=now)
    return str(client.get(f"/rate/{study.slug}/end/").text)


def without_tokens(page: str) -> str:
    """Return a page without the random tokens of its forms."""
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", page)


def test_every_outcome_has_a_code_an_ending_and_a_word_on_pay() -> None:
    assert set(CODES) == set(OUTCOMES) == set(endings.ENDINGS)
    undecided = {Session.Outcome.FAILED_ATTENTION, Session.Outcome.TECHNICAL_FAILURE}
    assert set(PAYABLE) == set(OUTCOMES) - undecided
    assert len({endings.words(outcome).title for outcome in OUTCOMES}) == len(OUTCOMES)


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_crowd_04_each_outcome_yields_its_own_code_and_no_other(
    client: Client, study: Study, now: datetime, outcome: Session.Outcome
) -> None:
    page = ended(client, study, outcome, now)
    assert [code for code in GIVEN.values() if code in page] == [GIVEN[outcome]]
    assert f'href="https://app.prolific.com/submissions/complete?cc={GIVEN[outcome]}"' in page
    assert "Return to Prolific" in page
    assert str(endings.words(outcome).title).replace("'", "&#x27;") in page


def test_crowd_04_no_page_before_the_end_holds_a_code(client: Client, study: Study) -> None:
    arrive(client, study)
    pages = [client.get(f"/rate/{study.slug}/consent/").text]
    client.post(f"/rate/{study.slug}/consent/", {"decision": "agree", "agreed": "on"})
    pages.append(client.get(f"/rate/{study.slug}/instructions/").text)
    client.post(f"/rate/{study.slug}/instructions/")
    pages += [client.get(f"/rate/{study.slug}/{name}").text for name in ("trial/", "leave/", "api/current", "end/")]
    assert not [page for page in pages if re.search(r"CODE-\d|prolific\.com", page)]


@pytest.mark.parametrize("name", ["next", "return_url", "url", "cc", "code", "outcome", "redirect"])
def test_crowd_04_no_parameter_alters_where_the_last_page_leads(
    client: Client, study: Study, now: datetime, name: str
) -> None:
    usual = ended(client, study, Session.Outcome.COMPLETE, now)
    for value in ("https://evil.example", "CODE-7", "withdrawn"):
        page = client.get(f"/rate/{study.slug}/end/", {name: value}).text
        assert page == usual
    evil = {name: "https://evil.example", "PROLIFIC_PID": "p1", "STUDY_ID": "ext", "SESSION_ID": "s1"}
    assert client.get(f"/s/{study.slug}/", evil)["Location"] == f"/rate/{study.slug}/end/"


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_the_last_page_is_the_same_from_the_cookie_and_from_the_link(
    client: Client, study: Study, now: datetime, outcome: Session.Outcome
) -> None:
    page = ended(client, study, outcome, now)
    another = Client()
    arrive(another, study)
    assert where(another, study) == "end"
    assert without_tokens(another.get(f"/rate/{study.slug}/end/").text) == without_tokens(page)
    assert Session.objects.filter(rater=Session.objects.earliest("pk").rater).count() == 1


def test_crowd_05_a_server_that_dies_after_the_last_answer_loses_neither_data_nor_code(
    client: Client, now: datetime
) -> None:
    """What the browser never heard was committed: any next request ends at the code."""
    study = world.make_study(now=now, **SET, protocol__batches_per_session=1)
    person = Person(study, now, name="p1").start()
    person.rate_batch()
    # Its response was lost; the person comes again by the link of the platform, in a browser that knows nothing.
    client.get(f"/s/{study.slug}/", {"PROLIFIC_PID": "p1", "STUDY_ID": "ext", "SESSION_ID": "s-p1"})
    assert where(client, study) == "end"
    assert GIVEN["complete"] in client.get(f"/rate/{study.slug}/end/").text
    session = Session.objects.get()
    assert (session.outcome, session.payable, Answer.objects.count()) == ("complete", True, 10)


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_without_a_code_the_last_page_says_what_to_do_by_hand(
    client: Client, now: datetime, outcome: Session.Outcome
) -> None:
    page = ended(client, world.make_study(now=now), outcome, now)
    assert "prolific.com" not in page
    said = (
        "This study has no completion code" if PAYABLE.get(outcome) else "please return your submission there yourself"
    )
    assert said in page


def test_whether_a_session_is_owed_its_pay_has_nothing_to_do_with_its_answers(study: Study, now: datetime) -> None:
    person = Person(study, now).start()
    while not person.is_done:
        person.rate_batch(attentive=False)
    person.session.refresh_from_db()
    assert (person.session.outcome, person.session.payable) == ("complete", True)


def test_somebody_under_way_is_neither_payable_nor_not(study: Study, now: datetime) -> None:
    assert Person(study, now).start().session.payable is None


@pytest.mark.parametrize(("sent", "outcome"), [({}, "withdrawn"), ({"why": "broken"}, "technical_failure")])
def test_whoever_leaves_may_say_that_something_doesn_t_work(
    client: Client, study: Study, sent: dict[str, str], outcome: str
) -> None:
    begin(client, study)
    client.post(f"/rate/{study.slug}/leave/", sent)
    session = Session.objects.get()
    assert (session.outcome, session.payable) == (outcome, {"withdrawn": False, "technical_failure": None}[outcome])


def test_an_outcome_is_decided_once(study: Study, now: datetime) -> None:
    person = Person(study, now).start()
    for outcome in (Session.Outcome.SCREENED_OUT, Session.Outcome.WITHDRAWN):
        finishing.leave(session_id=person.session.pk, outcome=outcome, now=now)
    person.session.refresh_from_db()
    assert (person.session.outcome, person.session.payable) == ("screened_out", True)


@pytest.mark.parametrize(("outcome", "debriefs"), [("complete", True), ("withdrawn", True), ("bad_device", False)])
def test_what_the_study_was_about_is_told_to_those_who_heard_something(
    client: Client, study: Study, now: datetime, outcome: str, debriefs: bool
) -> None:
    page: Any = ended(client, study, Session.Outcome(outcome), now)
    assert ("It was about voices." in page) == debriefs

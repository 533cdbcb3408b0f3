"""Questions after the ratings: asked once, never in the way of code and pay, and left out as people like."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from raters.models import Response, Session
from raters.rating import finishing, trials
from raters.sessions import lifecycle, questionnaire
from raters.sessions.questionnaire import QuestionnaireAnswer
from raters.simulation.simulated_sessions import simulate
from raters.sources.base import RaterArrival
from studies.models import Study
from tests import world
from tests.raters.sessions.test_pages import where
from tests.world import Person

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
OWN = ("Do you play an instrument? | Yes | No", "Anything else?")
ALL: dict[str, Any] = {
    "questionnaire__gender": True,
    "questionnaire__age": True,
    "questionnaire__languages": True,
    "questionnaire__device": True,
    "questionnaire__questions": list(OWN),
}
KEYS = ["gender", "age", "languages", "device", "own_1", "own_2"]


def make(now: datetime, **settings: Any) -> Study:
    small: dict[str, Any] = {
        "protocol__batches_per_session": 1,
        "protocol__tests_per_batch": 1,
        "protocol__human_traps": 1,
        "crowd__completion_code": "DONE1",
        "crowd__withdrawn_code": "LEFT1",
    }
    return world.make_study(now=now, **{**small, **ALL, **settings})


def done(study: Study, now: datetime) -> Person:
    """Return somebody who has just given the last answer."""
    person = Person(study, now).start()
    person.rate_batch()
    person.session.refresh_from_db()
    return person


def answers() -> dict[str, tuple[str, str]]:
    return {key: (code, words) for key, code, words in Response.objects.values_list("key", "code", "words")}


def post(person: Person, **data: str) -> Any:
    return world.carry(person).post(f"/rate/{person.study.slug}/questions/", data)


def test_the_last_answer_completes_a_session_before_anything_is_asked(now: datetime) -> None:
    person = done(make(now), now)
    session = person.session
    assert person.is_done
    assert (session.step, session.outcome, session.payable) == ("questions", "complete", True)
    assert session.ended_at == person.now


def test_without_questions_a_session_ends_with_its_last_answer(now: datetime) -> None:
    person = done(world.make_study(now=now, protocol__batches_per_session=1), now)
    assert (person.session.step, person.session.outcome) == ("ended", "complete")


def test_answers_are_stored_once_under_the_version_that_asked_and_change_nothing_else(now: datetime) -> None:
    person = done(make(now), now)
    before = person.session
    told = [QuestionnaireAnswer("gender", "woman"), QuestionnaireAnswer("own_2", words="No")]
    for _twice in range(2):
        questionnaire.store(session_id=before.pk, responses=told, now=now + timedelta(hours=1))
    after = Session.objects.get(pk=before.pk)
    assert after.step == "ended"
    assert (after.outcome, after.payable, after.ended_at) == (before.outcome, before.payable, before.ended_at)
    assert answers() == {**dict.fromkeys(KEYS, ("skipped", "")), "gender": ("woman", ""), "own_2": ("", "No")}
    assert set(Response.objects.values_list("version", "at")) == {(before.version_id, now + timedelta(hours=1))}


def test_nothing_is_stored_of_somebody_who_still_rates(now: datetime) -> None:
    person = Person(make(now), now).start()
    questionnaire.store(session_id=person.session.pk, responses=[QuestionnaireAnswer("gender", "woman")], now=now)
    assert not Response.objects.exists()


def test_whoever_leaves_early_is_asked_nothing(now: datetime) -> None:
    person = Person(make(now), now).start()
    assert finishing.withdraw(session_id=person.session.pk, now=now).step == "ended"


def test_leaving_at_the_questions_keeps_the_outcome(now: datetime) -> None:
    person = done(make(now), now)
    assert finishing.withdraw(session_id=person.session.pk, now=now).outcome == "complete"


def test_whoever_stopped_at_the_questions_may_come_for_the_next_session_and_keeps_this_one(now: datetime) -> None:
    for unfinished in ("resume", "fresh"):
        study = make(now, crowd__sessions_per_person=2, crowd__unfinished=unfinished)
        person = done(study, now)
        again = RaterArrival(source="prolific", person=person.name, study="ext", session=f"later-{unfinished}")
        second = lifecycle.arrive(study_id=study.pk, arrival=again, now=person.now)
        person.session.refresh_from_db()
        assert (second.pk != person.session.pk, second.step) == (True, "consent")
        assert (person.session.step, person.session.outcome) == ("questions", "complete")


def test_an_old_tab_at_the_trial_is_told_that_it_is_over(now: datetime) -> None:
    person = done(make(now), now)
    assert person.load().is_done
    person.session.refresh_from_db()
    tab = person.session.tab
    trials.resume(session_id=person.session.pk, tab=tab, now=person.now, rng=person.rng)
    assert Session.objects.get(pk=person.session.pk).step == "questions"


def test_every_way_leads_to_the_questions_and_then_to_the_code(now: datetime) -> None:
    person = done(make(now), now)
    study, client = person.study, world.carry(person)
    assert where(client, study) == "questions"
    for page in ("trial", "end", "leave", "consent", "instructions"):
        assert client.get(f"/rate/{study.slug}/{page}/")["Location"] == f"/rate/{study.slug}/questions/"
    page = client.get(f"/rate/{study.slug}/questions/").text
    assert "your part is complete" in page
    assert "DONE1" not in page
    sent = client.post(f"/rate/{study.slug}/questions/", {"gender": "man", "age": "35-44"})
    assert (sent.status_code, sent["Location"]) == (303, f"/rate/{study.slug}/end/")
    assert "DONE1" in client.get(sent["Location"]).text
    # Sent once more by Back or a second tab.
    again = client.post(f"/rate/{study.slug}/questions/", {"gender": "woman"})
    assert again["Location"] == f"/rate/{study.slug}/end/"
    assert answers()["gender"] == ("man", "")


def test_whoever_closed_the_tab_at_the_questions_gets_the_code_by_the_same_link(now: datetime) -> None:
    person = done(make(now), now)
    client, study = Client(), person.study
    client.get(f"/s/{study.slug}/", {"PROLIFIC_PID": person.name, "STUDY_ID": "ext", "SESSION_ID": f"s-{person.name}"})
    assert where(client, study) == "questions"
    client.post(f"/rate/{study.slug}/questions/", {"skip": "1"})
    assert where(client, study) == "end"
    assert answers() == dict.fromkeys(KEYS, ("skipped", ""))


def test_every_question_may_be_answered_left_out_or_declined(now: datetime) -> None:
    person = done(make(now), now)
    sent = post(
        person,
        **{
            "gender": "not_said",
            "languages": "yue",
            "languages-more": "en",
            "languages-words": "Taishanese",
            "device-words": "A hearing aid",
            "own_1": "2",
            "own_2": "  I am a phonetician ",
        },
    )
    assert sent.status_code == 303
    assert answers() == {
        "gender": ("not_said", ""),
        "age": ("skipped", ""),
        "languages": ("yue|en|other", "Taishanese"),
        "device": ("other", "A hearing aid"),
        "own_1": ("2", ""),
        "own_2": ("", "I am a phonetician"),
    }


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ({"gender": "self_described", "gender-words": "agender"}, ("self_described", "agender")),
        ({"gender": "self_described"}, ("self_described", "")),
        ({"gender": "man", "gender-words": "agender"}, ("man", "")),
        ({"gender": "not_said", "gender-words": "agender"}, ("not_said", "")),
        ({"gender-words": "agender"}, ("self_described", "agender")),
    ],
)
def test_words_of_ones_own_belong_to_one_choice(now: datetime, sent: dict[str, str], stored: tuple[str, str]) -> None:
    post(done(make(now), now), **sent)
    assert answers()["gender"] == stored


@pytest.mark.parametrize(
    ("first", "second", "code"), [("en", "en", "en"), ("", "fr", "fr"), ("not_said", "fr", "not_said")]
)
def test_first_languages_are_stored_once_each(now: datetime, first: str, second: str, code: str) -> None:
    post(done(make(now), now), **{"languages": first, "languages-more": second})
    assert answers()["languages"] == (code, "")


@pytest.mark.parametrize(
    ("field", "value"),
    [("gender", "trump_card"), ("age", "12"), ("languages", "xx"), ("own_1", "3"), ("own_2", "o" * 2001)],
)
def test_what_cannot_be_stored_is_explained_beside_its_field_and_the_rest_is_kept(
    now: datetime, field: str, value: str
) -> None:
    person = done(make(now), now)
    sent = post(person, **{"age": "25-34", "device-words": "My radio", field: value})
    assert sent.status_code == 422
    assert f'id="{field}-problem"' in sent.text
    assert f'aria-describedby="{field}-problem"' in sent.text
    assert "My radio" in sent.text
    assert not Response.objects.exists()
    assert where(world.carry(person), person.study) == "questions"


def test_only_what_the_study_asks_is_asked(now: datetime) -> None:
    person = done(make(now, questionnaire__age=False, questionnaire__questions=[]), now)
    page = world.carry(person).get(f"/rate/{person.study.slug}/questions/").text
    assert 'name="gender"' in page
    assert 'name="age"' not in page
    post(person, age="25-34", gender="woman")
    assert set(answers()) == {"gender", "languages", "device"}


def test_what_a_session_said_of_its_rater_goes_with_the_session(now: datetime) -> None:
    session = Person(make(now), now).session
    finishing.finish(session, outcome=Session.Outcome.COMPLETE, now=now)
    questionnaire.store(session_id=session.pk, responses=[QuestionnaireAnswer("gender", "woman")], now=now)
    _count, deleted = Session.objects.filter(pk=session.pk).delete()
    assert deleted["raters.Response"] == len(KEYS)


def test_simulated_raters_say_plausible_things_and_the_same_each_time(now: datetime) -> None:
    said = []
    for study in (make(now), make(now)):
        simulate(study_id=study.pk, raters=12, seed=3, now=now)
        assert set(Session.objects.filter(study=study).values_list("step", "outcome")) == {("ended", "complete")}
        rows = Response.objects.filter(session__study=study).order_by("session_id", "pk")
        said.append(list(rows.values_list("key", "code", "words")))
        assert len(said[-1]) == 12 * len(KEYS)
    assert said[0] == said[1]
    assert {"woman", "man"} <= {code for key, code, _words in said[0] if key == "gender"}
    assert {code.split("|")[0] for key, code, _words in said[0] if key == "languages"} >= {"en"}

"""The pages of the first checks without a browser: where each leads, and that nothing sent tells an answer."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import pytest
from django.test import Client

from raters.models import CheckResult, Session
from studies.launch import states
from studies.models import Study
from tests.raters.sessions.screening.listener import ALL, make_study, right, wrong
from tests.raters.sessions.test_pages import arrive, where

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


@pytest.fixture
def study(now: datetime) -> Study:
    return make_study(now, **ALL, crowd__screened_out_code="OUT77")


def agree(client: Client, study: Study, person: str = "p1") -> None:
    arrive(client, study, person=person, session=f"s-{person}")
    client.post(f"/rate/{study.slug}/consent/", {"decision": "agree", "agreed": "on"})


def page(client: Client, study: Study) -> Any:
    return client.get(f"/rate/{study.slug}/check/")


def at(response: Any) -> str:
    """Return what names the page that is shown."""
    return str(re.findall(r'name="at" value="([^"]+)"', response.text)[0])


def sound(response: Any) -> str:
    return str(re.findall(r'(?:src|data-sound-url)="(/rate/[^"]+/check/sound/[^"]+)"', response.text)[0])


def send(client: Client, study: Study, form: dict[str, str], shown: Any = None) -> Any:
    where = at(shown or page(client, study))
    return client.post(f"/rate/{study.slug}/check/", {**form, "at": where})


def open_result() -> CheckResult:
    return CheckResult.objects.get(passed=None)


def go(client: Client, study: Study, *, until: str = "") -> None:
    """Answer rightly until a check is reached, or none is left."""
    while where(client, study) == "check":
        shown = page(client, study)
        if until and at(shown).startswith(until):
            return
        assert send(client, study, right(open_result()), shown).status_code == 303


def test_each_page_leads_to_the_next_and_at_last_to_the_trials(client: Client, study: Study) -> None:
    agree(client, study)
    assert where(client, study) == "check"
    assert "Check 1 of 5" in page(client, study).text
    go(client, study)
    assert where(client, study) == "instructions"
    client.post(f"/rate/{study.slug}/instructions/")
    assert where(client, study) == "check"
    go(client, study)
    assert where(client, study) == "trial"


@pytest.mark.parametrize("name", ["instructions", "trial", "end", "consent", "questions"])
def test_no_page_can_be_reached_by_its_address_before_its_turn(client: Client, study: Study, name: str) -> None:
    agree(client, study)
    for _phase in range(2):
        for method in (client.get, client.post) if name not in ("trial", "end") else (client.get,):
            response = method(f"/rate/{study.slug}/{name}/")
            assert (response.status_code, response["Location"]) == (303, f"/rate/{study.slug}/check/")
        go(client, study)
        client.post(f"/rate/{study.slug}/instructions/")
    assert where(client, study) == "trial"


def test_a_question_left_out_is_marked_and_the_others_keep_their_answers(client: Client, study: Study) -> None:
    agree(client, study)
    go(client, study)
    client.post(f"/rate/{study.slug}/instructions/")
    refused = send(client, study, {"question0": "1"})
    assert refused.status_code == 422
    assert re.findall(r'name="(question.)" value="(.)" checked', refused.text) == [("question0", "1")]
    assert re.findall(r'aria-describedby="([^"]+)"', refused.text) == ["question1-problem"]
    assert re.findall(r'name="(question.)" value="." autofocus', refused.text) == ["question1"]


def test_the_api_gives_no_trial_before_the_checks_are_passed(client: Client, study: Study) -> None:
    agree(client, study)
    response = client.get(f"/rate/{study.slug}/api/current?tab=")
    assert (response.status_code, response.json()["error"]) == (409, "not_started")


def test_the_page_of_checks_leads_on_where_there_is_none(client: Client, now: datetime) -> None:
    study = make_study(now)
    agree(client, study)
    for method in (client.get, client.post):
        assert method(f"/rate/{study.slug}/check/")["Location"] == f"/rate/{study.slug}/instructions/"


@pytest.mark.parametrize(("rate", "is_promised"), [(1.5, True), (0, False), (None, False)])
def test_whoever_is_screened_out_gets_its_code_and_a_promise_of_pay_only_where_it_is_set(
    client: Client, study: Study, rate: float | None, is_promised: bool
) -> None:
    states.change_settings(study=study, changes={"payment.screened_out_rate": rate})
    agree(client, study)
    go(client, study, until="language")
    send(client, study, {"first": "de"})
    assert where(client, study) == "end"
    text = client.get(f"/rate/{study.slug}/end/").text
    assert "OUT77" in text
    assert ("You are paid for this time." in text) is is_promised
    assert page(client, study)["Location"] == f"/rate/{study.slug}/end/"


def test_one_can_leave_during_the_checks_and_go_back_to_them(client: Client, study: Study) -> None:
    agree(client, study)
    leaving = client.get(f"/rate/{study.slug}/leave/")
    assert f'href="/rate/{study.slug}/check/"' in leaving.text
    client.post(f"/rate/{study.slug}/leave/")
    assert Session.objects.get().outcome == "withdrawn"


def test_what_is_missing_is_said_beside_its_field_and_what_was_typed_stays(client: Client, study: Study) -> None:
    agree(client, study)
    response = send(client, study, {"digits": "4", "audio": "yes", "width": "390"})
    assert response.status_code == 422
    assert 'id="digits-problem"' in response.text
    assert 'value="4"' in response.text
    go(client, study, until="language")
    response = send(client, study, {"first": "de", "certificate": "IELTS listening", "points": "good"})
    assert 'id="points-problem"' in response.text
    assert '<option value="de" lang="de" selected>' in response.text


def test_the_rules_are_shown_again_after_a_wrong_answer_and_the_question_is_marked(
    client: Client, study: Study
) -> None:
    agree(client, study)
    go(client, study)
    client.post(f"/rate/{study.slug}/instructions/")
    assert "Listen to each clip from beginning to end" not in page(client, study).text
    form = right(open_result())
    send(client, study, {**form, "question1": str(1 - int(form["question1"]))})
    text = page(client, study).text
    assert "Listen to each clip from beginning to end" in text
    assert text.count("Please look at this one again.") == 1


def test_a_practice_answer_is_followed_by_what_was_true_and_not_told_before(client: Client, study: Study) -> None:
    agree(client, study)
    go(client, study)
    client.post(f"/rate/{study.slug}/instructions/")
    go(client, study, until="training")
    shown = page(client, study).text
    assert "A person spoke" not in shown
    assert "A machine made" not in shown
    is_human = open_result().drawn[0]["human"]
    send(client, study, wrong(open_result()))
    told = page(client, study).text
    assert "Another answer would fit better" in told
    assert ("A person spoke this clip." in told) is is_human
    send(client, study, {})
    assert "practice clip 2 of 2" in page(client, study).text


def test_the_settings_of_the_study_reach_the_page_in_its_language(client: Client, now: datetime) -> None:
    study = make_study(now, **ALL, texts__language="ar")
    agree(client, study)
    assert '<html lang="ar" dir="rtl">' in page(client, study).text


# What tells a target from a foil must be in the samples alone.


def visit(client: Client, study: Study, name: str) -> list[tuple[int, Any, Any]]:
    """Go through a test of six, and return (target, page, sound) of each trial."""
    go(client, study, until=name)
    seen = []
    for _trial in range(6):
        target = open_result().drawn[len(open_result().answers[-1])]["target"]
        shown = page(client, study)
        seen.append((target, shown, client.get(sound(shown))))
        send(client, study, right(open_result()), shown)
    return seen


@pytest.mark.parametrize("name", ["antiphase", "huggins"])
def test_no_page_address_size_or_header_tells_which_interval_is_the_target(now: datetime, name: str) -> None:
    study = make_study(now, **ALL)
    seen: list[tuple[int, Any, Any]] = []
    # Three people have met every interval as a rule, and twenty always.
    for number in range(20):
        client = Client()
        agree(client, study, person=f"p{number}")
        seen += visit(client, study, name)
        Session.objects.update(step=Session.Step.ENDED)
        CheckResult.objects.update(passed=True)
        if number > 1 and {target for target, _page, _sound in seen} == {0, 1, 2}:
            break
    assert {target for target, _page, _sound in seen} == {0, 1, 2}
    headers = {tuple(sorted((key, value) for key, value in heard.headers.items())) for _t, _p, heard in seen}
    assert len(headers) == 1
    assert dict(next(iter(headers)))["Cache-Control"] == "private, max-age=3600, immutable"
    bodies = [heard.getvalue() for _t, _p, heard in seen]
    assert len({len(body) for body in bodies}) == 1
    assert len({body[:44] for body in bodies}) == 1
    assert len(set(bodies)) == len(bodies)
    # The pages are the same but for what is random, and for how far one is.
    tokens = re.compile(r'sound/[\w-]{22}|csrfmiddlewaretoken" value="\w+|value="\w+\.0\.\d\.\d\.0|question \d of 6')
    for first in (True, False):
        texts = {tokens.sub("", shown.text) for _t, shown, _s in seen if ("question 1 of" in shown.text) is first}
        assert len(texts) == 1
    for _target, shown, _heard in seen:
        assert re.fullmatch(r"/rate/[\w-]+/check/sound/[\w-]{22}", sound(shown))
        said = re.sub('value="[^"]*"', "", shown.text)
        assert not re.search("target(?!=)|foil|antiphase|seed|standard", said)


def test_a_sound_can_be_had_in_parts_and_by_its_own_session_alone_and_only_while_it_is_shown(
    client: Client, study: Study
) -> None:
    agree(client, study)
    shown = page(client, study)
    address = sound(shown)
    whole = client.get(address).getvalue()
    part = client.get(address, headers={"Range": "bytes=0-1"})
    assert (part.status_code, part.getvalue(), part["Content-Range"]) == (206, whole[:2], f"bytes 0-1/{len(whole)}")
    assert client.get(address, headers={"Range": "bytes=9999999-"}).status_code == 416
    assert client.head(address)["Content-Length"] == str(len(whole))
    stranger = Client()
    assert stranger.get(address).status_code == 404
    agree(stranger, study, person="p2")
    assert stranger.get(address).status_code == 404
    send(client, study, right(CheckResult.objects.filter(passed=None).order_by("pk")[0]), shown)
    assert client.get(address).status_code == 404


def test_a_step_without_a_sound_has_none(client: Client, study: Study) -> None:
    agree(client, study)
    go(client, study, until="language")
    key = open_result().drawn[0]["key"]
    assert client.get(f"/rate/{study.slug}/check/sound/{key}").status_code == 404


@pytest.mark.parametrize(
    ("sent", "again", "end"),
    [
        ({"digits": "111"}, "match the beeps", "match the beeps"),
        ({"width": "300"}, "This window is too narrow", "This window is too narrow"),
        ({"audio": "no"}, "could not play the sound", "play the clips of this study"),
    ],
)
def test_whoever_fails_the_sound_check_reads_what_failed(
    client: Client, now: datetime, sent: dict[str, str], again: str, end: str
) -> None:
    study = make_study(now, screening__device="screen_out")
    agree(client, study)
    notes = (again, "match the beeps", "too narrow", "could not play")
    for _try in range(2):
        shown = client.get(f"/rate/{study.slug}/check/").text
        result = CheckResult.objects.get(passed=None)
        assert [note in shown for note in notes] == [result.tries > 1 and note in again for note in notes]
        at = re.search(r'name="at" value="([^"]+)"', shown)
        assert at is not None
        client.post(f"/rate/{study.slug}/check/", {**right(result), **sent, "at": at[1]})
    last = client.get(f"/rate/{study.slug}/end/").text
    assert end in last
    assert ("play the clips of this study" in last) is ("audio" in sent)

"""The rater's pages without JavaScript: who is let in, where each step leads, and what a page never says."""

from __future__ import annotations

import json
import re
import time
from datetime import datetime
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from raters.models import Session
from raters.people import cookies
from studies.models import Study
from tests import world

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
CODES = {"crowd__completion_code": "DONE1", "crowd__declined_code": "NO1", "crowd__withdrawn_code": "LEFT1"}


@pytest.fixture
def study(now: datetime, files: Any) -> Study:
    return world.make_study(now=now, **CODES)


def arrive(client: Client, study: Study, person: str = "p1", session: str = "s1") -> Any:
    query = {"PROLIFIC_PID": person, "STUDY_ID": "ext", "SESSION_ID": session}
    return client.get(f"/s/{study.slug}/", query)


def begin(client: Client, study: Study) -> None:
    arrive(client, study)
    client.post(f"/rate/{study.slug}/consent/", {"decision": "agree", "agreed": "on"})
    client.post(f"/rate/{study.slug}/instructions/")


def where(client: Client, study: Study) -> str:
    """Return the page that the study leads this rater to."""
    response = client.get(f"/rate/{study.slug}/")
    assert response.status_code == 303
    return str(response["Location"]).removeprefix(f"/rate/{study.slug}/").rstrip("/")


def test_arrival_leads_to_an_address_without_ids(client: Client, study: Study) -> None:
    response = arrive(client, study)
    assert (response.status_code, response["Location"]) == (303, f"/rate/{study.slug}/consent/")
    assert where(client, study) == "consent"


def test_the_cookie_is_for_this_study_alone_and_out_of_reach_of_scripts(client: Client, study: Study) -> None:
    cookie = arrive(client, study).cookies[cookies.NAME]
    assert (cookie["path"], cookie["httponly"], cookie["samesite"]) == (f"/rate/{study.slug}/", True, "Lax")
    assert not cookie["secure"]


def test_under_https_the_cookie_belongs_to_this_very_host_and_to_one_study(
    client: Client, study: Study, now: datetime, settings: Any
) -> None:
    settings.HTTPS = True
    cookie = arrive(client, study).cookies[f"__Host-{cookies.NAME}-{study.slug}"]
    assert (cookie["secure"], cookie["path"], cookie["domain"], cookie["httponly"]) == (True, "/", "", True)
    other = world.make_study(now=now)
    arrive(client, other, session="s2")
    assert [where(client, each) for each in (study, other)] == ["consent", "consent"]


def test_a_cookie_of_another_study_opens_nothing(client: Client, study: Study, now: datetime) -> None:
    other = world.make_study(now=now)
    value = arrive(client, other).cookies[cookies.NAME].value
    stranger = Client()
    stranger.cookies[cookies.NAME] = value
    response = stranger.get(f"/rate/{study.slug}/")
    assert response.status_code == 403
    assert "Open the study’s link again" in response.text


def test_a_cookie_opens_nothing_once_it_is_too_old_though_it_was_known_before(
    client: Client, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrive(client, study)
    assert where(client, study) == "consent"
    later = time.time() + cookies.MAX_AGE + 60
    monkeypatch.setattr(cookies.time, "time", lambda: later)
    assert client.get(f"/rate/{study.slug}/").status_code == 403


def test_a_cookie_that_is_too_long_to_be_ours_is_not_remembered(client: Client, study: Study) -> None:
    cookies._signed.cache_clear()
    for value in ("x" * cookies.LONGEST, "x" * (cookies.LONGEST + 1)):
        client.cookies[cookies.NAME] = value
        assert client.get(f"/rate/{study.slug}/").status_code == 403
    assert cookies._signed.cache_info().currsize == 1


def test_cookies_are_less_than_half_as_long_as_the_longest(client: Client, study: Study) -> None:
    response = HttpResponse()
    cookies.put_session(response, slug=study.slug, session_id=2**63)
    cookies.put_browser(response, slug=study.slug, name="x" * 43)
    assert max(len(cookie.value) for cookie in response.cookies.values()) < cookies.LONGEST / 2


@pytest.mark.parametrize("value", ["", "1", "1:2:3", "{}"])
def test_a_forged_cookie_opens_nothing(client: Client, study: Study, value: str) -> None:
    client.cookies[cookies.NAME] = value
    assert client.get(f"/rate/{study.slug}/trial/").status_code == 403


def test_no_page_starts_a_database_session(client: Client, study: Study) -> None:
    begin(client, study)
    client.get(f"/rate/{study.slug}/trial/")
    assert set(client.cookies) <= {cookies.NAME, "csrftoken"}


def test_coming_twice_is_one_session(client: Client, study: Study) -> None:
    begin(client, study)
    arrive(Client(), study)
    assert Session.objects.count() == 1
    another_browser = Client()
    arrive(another_browser, study)
    assert where(another_browser, study) == "trial"


@pytest.mark.parametrize("purpose", ["prefetch", "prefetch;prerender"])
def test_a_prefetched_link_makes_nothing(client: Client, study: Study, purpose: str) -> None:
    link = f"/s/{study.slug}/?PROLIFIC_PID=p&STUDY_ID=e&SESSION_ID=s"
    assert client.get(link, headers={"Sec-Purpose": purpose}).content == b""
    assert client.head(link).status_code == 405
    assert not Session.objects.exists()


def test_an_incomplete_link_says_what_is_missing(client: Client, study: Study) -> None:
    response = client.get(f"/s/{study.slug}/", {"PROLIFIC_PID": "p1"})
    assert response.status_code == 400
    assert "This link is incomplete" in response.text
    assert "SESSION_ID" in response.text
    assert not Session.objects.exists()


def test_an_unfilled_placeholder_is_explained_to_the_researcher(client: Client, study: Study) -> None:
    response = arrive(client, study, person="{{%PROLIFIC_PID%}}")
    assert response.status_code == 400
    assert "For the researcher" in response.text
    assert not Session.objects.exists()


@pytest.mark.parametrize(("state", "title"), [("paused", "This study is paused"), ("closed", "This study has ended")])
def test_a_study_that_takes_nobody_says_so(client: Client, study: Study, state: str, title: str) -> None:
    Study.objects.filter(pk=study.pk).update(state=state, notice="Back on <Monday>.")
    response = arrive(client, study)
    assert response.status_code == 409
    assert title in response.text
    assert "Back on &lt;Monday&gt;." in response.text


def test_a_draft_looks_like_no_study_at_all(client: Client, now: datetime) -> None:
    draft = world.make_study(now=now, launch=False)
    assert arrive(client, draft).status_code == 404
    assert client.get("/s/no-such-study/").status_code == 404
    assert client.get("/rate/no-such-study/").status_code == 404


def test_another_person_on_the_same_link_is_refused(client: Client, study: Study) -> None:
    arrive(client, study)
    response = arrive(Client(), study, person="p2")
    assert response.status_code == 409
    assert "opened by somebody else" in response.text


def test_the_same_session_when_finished_shows_its_code_again(client: Client, study: Study) -> None:
    begin(client, study)
    Session.objects.update(step="ended", outcome="complete")
    again = Client()
    arrive(again, study)
    assert where(again, study) == "end"
    assert "DONE1" in again.get(f"/rate/{study.slug}/end/").text


def test_a_second_session_of_one_who_finished_gets_no_code(client: Client, study: Study) -> None:
    begin(client, study)
    Session.objects.update(step="ended", outcome="complete")
    response = arrive(Client(), study, session="s2")
    assert response.status_code == 409
    assert "already taken part" in response.text
    assert "DONE1" not in response.text


def test_consent_needs_the_tick(client: Client, study: Study) -> None:
    arrive(client, study)
    response = client.post(f"/rate/{study.slug}/consent/", {"decision": "agree"})
    assert response.status_code == 422
    assert "Tick the box" in response.text
    assert where(client, study) == "consent"


@pytest.mark.parametrize("sent", [{}, {"agreed": "on"}, {"agreed": "on", "decision": "maybe"}])
def test_consent_without_a_decision_asks_again(client: Client, study: Study, sent: dict[str, str]) -> None:
    arrive(client, study)
    response = client.post(f"/rate/{study.slug}/consent/", sent)
    assert response.status_code == 422
    assert "Choose one of these two buttons" in response.text
    assert ("required checked" in response.text) == ("agreed" in sent)
    assert where(client, study) == "consent"
    assert not Session.objects.exclude(outcome="").exists()


def test_declining_ends_with_its_own_code(client: Client, study: Study) -> None:
    arrive(client, study)
    client.post(f"/rate/{study.slug}/consent/", {"decision": "decline"})
    page = client.get(f"/rate/{study.slug}/end/").text
    assert "You chose not to take part" in page
    assert "complete?cc=NO1" in page
    assert "About this study" not in page


def test_posts_without_a_token_are_refused(study: Study) -> None:
    strict = Client(enforce_csrf_checks=True)
    arrive(strict, study)
    assert strict.post(f"/rate/{study.slug}/consent/", {"decision": "decline"}).status_code == 403
    assert where(strict, study) == "consent"


@pytest.mark.parametrize("page", ["consent", "instructions", "trial", "end", "leave"])
def test_every_other_page_leads_to_the_current_step(client: Client, study: Study, page: str) -> None:
    arrive(client, study)
    response = client.get(f"/rate/{study.slug}/{page}/")
    if page == "consent":
        assert response.status_code == 200
    else:
        assert (response.status_code, response["Location"]) == (303, f"/rate/{study.slug}/consent/")


def test_instructions_show_good_and_poor_reasons_and_no_ratio(client: Client, study: Study) -> None:
    arrive(client, study)
    client.post(f"/rate/{study.slug}/consent/", {"decision": "agree", "agreed": "on"})
    page = client.get(f"/rate/{study.slug}/instructions/").text
    assert "Every word starts from silence" in page
    assert "Sounds like a robot." in page
    assert "test items with a clear answer" in page


def test_leaving_asks_first_and_ends_with_its_own_code(client: Client, study: Study) -> None:
    begin(client, study)
    assert "Leave study" in client.get(f"/rate/{study.slug}/leave/").text
    assert where(client, study) == "trial"
    client.post(f"/rate/{study.slug}/leave/")
    page = client.get(f"/rate/{study.slug}/end/").text
    assert "You left the study" in page
    assert "complete?cc=LEFT1" in page


def test_leaving_promises_no_more_than_holds(client: Client, study: Study) -> None:
    begin(client, study)
    assert "link then shows the last page only" in client.get(f"/rate/{study.slug}/leave/").text
    client.post(f"/rate/{study.slug}/leave/")
    same_link, new_place = Client(), Client()
    arrive(same_link, study)
    assert where(same_link, study) == "end"
    arrive(new_place, study, session="s2")
    assert where(new_place, study) == "consent"


def test_a_paused_study_keeps_people_between_two_sets(client: Client, study: Study) -> None:
    begin(client, study)
    Study.objects.filter(pk=study.pk).update(state="paused", notice="Back on <Monday>.")
    response = client.get(f"/rate/{study.slug}/trial/")
    assert response.status_code == 409
    for words in ("This study is paused", "What you saved is kept", "Back on &lt;Monday&gt;.", "Try again"):
        assert words in response.text
    assert "return your submission" not in response.text
    assert where(client, study) == "trial"
    Study.objects.filter(pk=study.pk).update(state="live")
    assert client.get(f"/rate/{study.slug}/trial/").status_code == 200


def test_no_code_stands_on_a_page_before_the_end(client: Client, study: Study) -> None:
    arrive(client, study)
    pages = [client.get(f"/rate/{study.slug}/consent/").text]
    client.post(f"/rate/{study.slug}/consent/", {"decision": "agree", "agreed": "on"})
    pages.append(client.get(f"/rate/{study.slug}/instructions/").text)
    client.post(f"/rate/{study.slug}/instructions/")
    pages += [client.get(f"/rate/{study.slug}/{name}/").text for name in ("trial", "leave")]
    assert not [code for code in ("DONE1", "NO1", "LEFT1", "prolific.com") if any(code in page for page in pages)]


def test_the_trial_page_holds_the_first_trial_and_nothing_that_names_a_clip(client: Client, study: Study) -> None:
    begin(client, study)
    page = client.get(f"/rate/{study.slug}/trial/").text
    found = re.search(r'<script id="progress" type="application/json">(.*?)</script>', page)
    assert found is not None
    progress = json.loads(found[1])
    assert (progress["state"], progress["position"], progress["size"]) == ("trial", 1, 10)
    assert set(progress["trial"]["clips"][0]) == {"key", "url", "heard", "seconds"}
    assert not re.search(r"\.wav|alpha|beta|trap|broken", page)


def test_no_page_holds_inline_script_or_style(client: Client, study: Study) -> None:
    begin(client, study)
    pages = [client.get(f"/rate/{study.slug}/{name}/").text for name in ("trial", "leave")]
    for page in [*pages, client.get("/").text]:
        assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*(src=|application/json))", page)


def test_pages_are_never_kept_by_a_cache(client: Client, study: Study) -> None:
    begin(client, study)
    assert "no-store" in client.get(f"/rate/{study.slug}/trial/")["Cache-Control"]


def test_pages_speak_the_study_s_language_in_its_direction(client: Client, now: datetime) -> None:
    study = world.make_study(now=now, texts__language="ar")
    arrive(client, study)
    assert '<html lang="ar" dir="rtl">' in client.get(f"/rate/{study.slug}/consent/").text


def test_a_study_may_speak_a_language_that_earshot_was_not_translated_to(client: Client, now: datetime) -> None:
    study = world.make_study(now=now, texts__language="yue-hant")
    arrive(client, study)
    assert '<html lang="yue-hant" dir="ltr">' in client.get(f"/rate/{study.slug}/consent/").text


def test_researchers_texts_are_escaped(client: Client, now: datetime) -> None:
    study = world.make_study(now=now, texts__information="<img src=x> **bold**", texts__consent="<b>yes</b>")
    arrive(client, study)
    page = client.get(f"/rate/{study.slug}/consent/").text
    assert "<img" not in page
    assert "<strong>bold</strong>" in page
    assert "&lt;b&gt;yes&lt;/b&gt;" in page


PAY = "This does not affect your pay."
UNPAID = "This does not count against you."


@pytest.mark.parametrize(
    ("changes", "query", "said"),
    [
        ({}, {"PROLIFIC_PID": "p1", "STUDY_ID": "ext", "SESSION_ID": "s1"}, PAY),
        ({"crowd__source": "open"}, {}, UNPAID),
        ({"crowd__source": "open", "payment__rate": 2.0}, {}, PAY),
    ],
)
def test_pages_speak_of_pay_only_where_raters_are_paid(
    client: Client, now: datetime, changes: dict[str, Any], query: dict[str, str], said: str
) -> None:
    study = world.make_study(now=now, **changes)
    if not query:
        client.post(f"/s/{study.slug}/")
    client.get(f"/s/{study.slug}/", query)
    pages = [client.get(f"/rate/{study.slug}/consent/").text]
    client.post(f"/rate/{study.slug}/consent/", {"decision": "agree", "agreed": "on"})
    pages.append(client.get(f"/rate/{study.slug}/instructions/").text)
    client.post(f"/rate/{study.slug}/instructions/")
    pages.append(client.get(f"/rate/{study.slug}/trial/").text)
    other = UNPAID if said == PAY else PAY
    for text in pages:
        assert said in text
    # The instructions are the study's own, and those of this preset speak of pay.
    assert other not in pages[0]


def test_examples_of_reasons_are_in_the_instructions_and_not_under_each_reason(client: Client, now: datetime) -> None:
    study = world.make_study(now=now, texts__good_reasons=("The word record falls too late.",))
    begin(client, study)
    shown = client.get(f"/rate/{study.slug}/trial/").text
    form = shown[shown.index("data-answer") : shown.index("</form>", shown.index("data-answer"))]
    assert "The word record" not in form
    assert "Name a word or a moment" in form
    assert shown.count("The word record") == 1

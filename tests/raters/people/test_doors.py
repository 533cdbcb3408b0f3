"""Study links of every source in browsers: pages that stand before a session, and people told apart."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.core import signing
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from raters.models import Identity, Invite, Session
from raters.people import cookies, invites
from raters.rating import finishing
from raters.sources.preview import PreviewSource
from studies.definition.settings.crowd import Crowd
from studies.models import Study
from tests import world
from tests.raters.sessions.test_pages import where
from tests.raters.sources.test_other_sources import TURK
from tests.researchers import researcher

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


def make(source: str, **settings: Any) -> Study:
    return world.make_study(now=timezone.now(), crowd__source=source, **settings)


def test_mechanical_turk_may_frame_its_page_and_nothing_else(client: Client) -> None:
    study = make("mturk")
    page = client.get(f"/s/{study.slug}/", TURK)
    policy = page["Content-Security-Policy"]
    hosts = "https://www.mturk.com https://workersandbox.mturk.com"
    assert f"frame-ancestors {hosts}" in policy
    assert f"form-action 'self' {hosts}" in policy
    assert "X-Frame-Options" not in page.headers
    assert not Session.objects.exists()
    assert client.get(f"/s/{study.slug}/", {**TURK, "window": "1"}).status_code == 303
    consent = client.get(f"/rate/{study.slug}/consent/")
    assert consent["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in consent["Content-Security-Policy"]


def test_a_preview_of_a_task_makes_nothing(client: Client) -> None:
    study = make("mturk", texts__information="About **voices**.")
    page = client.get(f"/s/{study.slug}/", {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "hitId": "H1"})
    assert "<strong>voices</strong>" in page.text
    assert "externalSubmit" not in page.text
    assert not Session.objects.exists()


def test_a_task_without_a_worker_is_incomplete(client: Client) -> None:
    study = make("mturk")
    assert client.get(f"/s/{study.slug}/", {"assignmentId": "A1"}).status_code == 400


def test_mechanical_turk_s_people_take_their_code_along(client: Client, now: datetime) -> None:
    study = make("mturk", crowd__completion_code="TURK-1")
    client.get(f"/s/{study.slug}/", {**TURK, "window": "1"})
    finishing.leave(session_id=Session.objects.get().pk, outcome=Session.Outcome.COMPLETE, now=now)
    page = client.get(f"/rate/{study.slug}/end/").text
    assert "TURK-1" in page
    assert "enter it at Mechanical Turk" in page
    assert "prolific" not in page.lower()


def test_mechanical_turk_s_workers_are_told_where_their_code_goes_whatever_the_return_url(
    client: Client, now: datetime
) -> None:
    settings = {"crowd__return_url": "https://example.org/thanks", "crowd__completion_code": "TURK-1"}
    study = make("mturk", **settings)
    client.get(f"/s/{study.slug}/", {**TURK, "window": "1"})
    finishing.leave(session_id=Session.objects.get().pk, outcome=Session.Outcome.COMPLETE, now=now)
    assert "enter it at Mechanical Turk" in client.get(f"/rate/{study.slug}/end/").text


SONA = {
    "crowd__session_parameter": "survey_code",
    "crowd__return_url": "https://school.example.org/credit?survey_code={session}",
    "crowd__completion_code": "DONE-1",
    "crowd__technical_failure_code": "HELP-1",
    "crowd__withdrawn_code": "LEFT-1",
}


@pytest.mark.parametrize(
    ("outcome", "is_led", "gives_back"),
    [("complete", True, False), ("technical_failure", False, False), ("withdrawn", False, True)],
)
def test_an_address_without_a_code_is_said_to_hand_in_none(
    client: Client, now: datetime, outcome: str, is_led: bool, gives_back: bool
) -> None:
    study = make("template", **SONA)
    client.get(f"/s/{study.slug}/", {"survey_code": "23456"})
    finishing.leave(session_id=Session.objects.get().pk, outcome=Session.Outcome(outcome), now=now)
    page = client.get(f"/rate/{study.slug}/end/").text
    assert ("survey_code=23456" in page) == is_led
    assert ("return your submission there" in page) == gives_back
    assert "If you are asked for a code" in page
    assert "hands in your code" not in page


def test_a_link_pasted_as_it_stands_tells_the_researcher_what_to_put_in(client: Client) -> None:
    study = make("template", **SONA)
    page = client.get(f"/s/{study.slug}/", {"survey_code": "SESSION"})
    assert page.status_code == 400
    assert "in place of each word in capitals" in page.text
    assert not Session.objects.exists()


def test_looking_at_an_open_link_makes_nothing_and_beginning_does(client: Client) -> None:
    study = make("open")
    for _ in range(2):
        assert "Start" in client.get(f"/s/{study.slug}/").text
    assert not Session.objects.exists()
    assert client.post(f"/s/{study.slug}/").status_code == 303
    session = Session.objects.get()
    assert (session.source, session.proof, where(client, study)) == ("open", "anonymous", "consent")


def test_a_browser_is_one_person_of_an_open_link(client: Client, now: datetime) -> None:
    study = make("open")
    client.post(f"/s/{study.slug}/")
    finishing.leave(session_id=Session.objects.get().pk, outcome=Session.Outcome.WITHDRAWN, now=now)
    page = client.get(f"/s/{study.slug}/").text
    assert page.count("Continue where this browser stopped") == 1
    assert "Start</button>" not in page
    client.post(f"/s/{study.slug}/")
    assert (Session.objects.count(), where(client, study)) == (1, "end")
    Client().post(f"/s/{study.slug}/")
    assert (Session.objects.count(), Identity.objects.count()) == (2, 2)


def test_a_machine_in_a_lab_serves_one_person_after_another(client: Client) -> None:
    study = make("open", crowd__one_per_browser=False)
    for _ in range(3):
        assert client.post(f"/s/{study.slug}/").status_code == 303
        assert where(client, study) == "consent"
    assert Session.objects.values("rater").distinct().count() == 3


def test_a_forged_browser_is_a_new_one(client: Client) -> None:
    study = make("open")
    client.cookies[cookies.BROWSER] = "forged"
    client.post(f"/s/{study.slug}/")
    assert Session.objects.get().ext_session != "forged"


def test_the_last_page_of_an_open_link_speaks_of_no_platform(client: Client, now: datetime) -> None:
    study = make("open", crowd__completion_code="NOBODY-ASKED")
    client.post(f"/s/{study.slug}/")
    finishing.leave(session_id=Session.objects.get().pk, outcome=Session.Outcome.COMPLETE, now=now)
    page = client.get(f"/rate/{study.slug}/end/").text
    assert "You can close this page" in page
    assert not [word for word in ("NOBODY-ASKED", "prolific.com", "platform") if word in page]


def test_a_study_that_isn_t_open_has_no_door_and_asks_nobody_to_give_a_place_back(client: Client) -> None:
    study = make("open")
    Study.objects.filter(pk=study.pk).update(state="paused")
    for ask in (client.get, client.post):
        page = ask(f"/s/{study.slug}/")
        assert page.status_code == 409
        assert "This study is paused" in page.text
        assert "platform" not in page.text
    assert not Session.objects.exists()


def test_a_personal_link_is_one_session_wherever_it_is_opened(client: Client, now: datetime) -> None:
    study = make("invite")
    [(number, link), _other] = invites.create_links(
        study_id=study.pk, slug=study.slug, number=2, label="group", by=None, now=now
    )
    address = link.removeprefix("http://testserver")
    for browser in (client, Client()):
        assert browser.get(address).status_code == 303
    session = Session.objects.get()
    assert (session.ext_session, session.proof) == (str(number), "invited")
    token = address.rpartition("=")[2]
    assert len(token) == 22
    assert not Invite.objects.filter(token_sha256=token).exists()
    assert token not in Identity.objects.get().person


def test_a_link_that_was_taken_back_or_never_made_opens_nothing(client: Client, now: datetime) -> None:
    study, other = make("invite"), make("invite")
    [(number, link)] = invites.create_links(study_id=study.pk, slug=study.slug, number=1, label="", by=None, now=now)
    address = link.removeprefix("http://testserver")
    assert client.get(address.replace(study.slug, other.slug)).status_code == 403
    assert client.get(f"{address}x").status_code == 403
    assert client.get(f"/s/{study.slug}/").status_code == 403
    assert invites.take_back(ids=[number], now=now) == 1
    refused = client.get(address)
    assert (refused.status_code, Session.objects.count()) == (409, 0)
    assert "withdrawn" in refused.text


def test_a_test_run_says_so_and_tells_no_code(client: Client) -> None:
    study = make("prolific", crowd__completion_code="DONE1", crowd__declined_code="NO1")
    client.get(PreviewSource().link("", study.slug, Crowd()))
    assert "Test run" in client.get(f"/rate/{study.slug}/consent/").text
    client.post(f"/rate/{study.slug}/consent/", {"decision": "decline"})
    page = client.get(f"/rate/{study.slug}/end/").text
    assert "This was your test run." in page
    assert not [word for word in ("DONE1", "NO1", "prolific.com") if word in page]


def test_only_who_started_a_test_run_gets_a_link_back_to_the_study(client: Client) -> None:
    study = make("open")
    back = reverse("workspace:overview", args=[study.slug])
    rita, link = researcher("rita"), PreviewSource().link("", study.slug, Crowd())

    def shown(browser: Client) -> list[bool]:
        browser.post(f"/rate/{study.slug}/consent/", {"decision": "decline"})
        return [back in browser.get(f"/rate/{study.slug}/{name}/", follow=True).text for name in ("consent", "end")]

    own, phone = Client(), Client()
    own.force_login(rita)
    own.get(link)
    assert back in own.get(f"/rate/{study.slug}/consent/").text
    assert shown(own) == [True, True]
    del own.cookies[settings.SESSION_COOKIE_NAME]
    last = own.get(f"/rate/{study.slug}/end/").text
    assert "This was your test run." in last
    assert back not in last
    phone.get(PreviewSource().link("", study.slug, Crowd()))
    assert "Test run" in phone.get(f"/rate/{study.slug}/consent/").text
    assert shown(phone) == [False, False]
    client.force_login(rita)
    client.post(f"/s/{study.slug}/")
    assert not Session.objects.latest("pk").preview
    assert shown(client) == [False, False]


def test_each_test_run_is_somebody_else_and_its_link_comes_back_to_it(client: Client) -> None:
    study = make("prolific")
    links = [PreviewSource().link("", study.slug, Crowd()) for _ in range(2)]
    for link in [*links, links[0]]:
        assert client.get(link).status_code == 303
    assert Session.objects.filter(preview=True, simulated=True).count() == Session.objects.count() == 2
    assert Session.objects.values("rater").distinct().count() == 2


def test_the_preview_of_prolific_takes_no_place(client: Client) -> None:
    study = make("prolific", crowd__completion_code="DONE1")
    client.get(f"/s/{study.slug}/", {"PROLIFIC_PID": "me", "STUDY_ID": "x", "SESSION_ID": "035orbpf1pk3"})
    assert "Test run" in client.get(f"/rate/{study.slug}/consent/").text
    assert Session.objects.get().preview


def test_nobody_makes_a_test_run_of_their_own(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    study, other = make("prolific"), make("prolific")
    link = PreviewSource().link("", study.slug, Crowd())
    for bad in (f"/s/{study.slug}/?preview=1", link.replace(study.slug, other.slug), f"{link}x"):
        assert client.get(bad).status_code == 403
    week = timezone.now() + timedelta(days=8)
    monkeypatch.setattr(signing.time, "time", week.timestamp)  # type: ignore[attr-defined]
    assert client.get(link).status_code == 403
    assert not Session.objects.exists()

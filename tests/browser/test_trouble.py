"""What may go wrong while rating: each ends with one stored answer and the right page."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, Route, expect

from raters.models import Answer, Session, Trial, TrialClip
from raters.rating import finishing
from studies.launch import states
from studies.models import Study
from tests.browser.steps import (
    REASON,
    SECONDS,
    begin,
    fill,
    in_state,
    is_at,
    link,
    listen,
    make_study,
    play_button,
    rate,
    save,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]
PORTAL = "<html><title>Sign in to the Wi-Fi</title></html>"
# The next request ends as one does that was not answered in time.
LATE = """() => {
  const real = AbortSignal.timeout;
  AbortSignal.timeout = () => {
    AbortSignal.timeout = real;
    return AbortSignal.abort(new DOMException("", "TimeoutError"));
  };
}"""


@pytest.fixture
def study(files: Any) -> Study:
    return make_study()


def test_a_double_click_on_save_stores_one_answer(page: Page, study: Study) -> None:
    begin(page, study)
    listen(page)
    fill(page)
    page.get_by_role("button", name="Save and continue").dblclick()
    is_at(page, 2)
    in_state(page, "ready")
    assert Answer.objects.count() == 1


def test_what_the_server_refuses_stands_beside_its_field_too(page: Page, study: Study) -> None:
    page.route(
        "**/api/answers/*",
        lambda route: route.fulfill(status=422, json={"error": "invalid", "problems": {"reason": "Say more."}}),
        times=1,
    )
    begin(page, study)
    listen(page)
    fill(page)
    save(page)
    expect(page.locator("#reason-problem")).to_have_text("Say more.")
    expect(page.get_by_label("What in the audio")).to_be_focused()
    save(page)
    is_at(page, 2)


@pytest.mark.parametrize(
    "refusal",
    [
        {"message": "?", "problems": {"reason": "Say more.", "mood": "Your mood is missing."}},
        {"message": "Your mood is missing.", "problems": {}},
    ],
)
def test_what_the_form_has_no_field_for_stands_in_the_status_line(
    page: Page, study: Study, refusal: dict[str, Any]
) -> None:
    page.route(
        "**/api/answers/*", lambda route: route.fulfill(status=422, json={"error": "invalid", **refusal}), times=1
    )
    begin(page, study)
    listen(page)
    fill(page)
    save(page)
    expect(page.get_by_role("status")).to_have_text("Your mood is missing.")
    expect(page.locator("#reason-problem")).to_have_text(refusal["problems"].get("reason", ""))
    expect(page.get_by_label("What in the audio")).to_have_value(REASON)
    save(page)
    is_at(page, 2)


def test_back_leads_to_the_current_clip(page: Page, study: Study) -> None:
    begin(page, study)
    rate(page)
    is_at(page, 2)
    page.go_back()
    page.wait_for_url("**/trial/")
    is_at(page, 2)
    rate(page)
    is_at(page, 3)
    assert Answer.objects.count() == 2


def test_a_reload_keeps_the_clip_and_what_was_written(page: Page, study: Study) -> None:
    begin(page, study)
    listen(page)
    fill(page, "Unclear")
    token = Trial.objects.get(served_at__isnull=False).token
    page.reload()
    in_state(page, "heard")
    is_at(page, 1)
    expect(page.get_by_label("What in the audio")).to_have_value(REASON)
    expect(page.get_by_role("radio", name="Unclear")).to_be_checked()
    save(page)
    is_at(page, 2)
    expect(page.get_by_label("What in the audio")).to_have_value("")
    assert Answer.objects.get().trial.token == token


def test_the_newest_tab_goes_on_and_the_older_one_says_so(page: Page, context: BrowserContext, study: Study) -> None:
    begin(page, study)
    listen(page)
    fill(page)
    newer = context.new_page()
    newer.goto(f"/rate/{study.slug}/")
    in_state(newer, "ready")
    in_state(page, "elsewhere")
    expect(page.get_by_role("heading", name="This study is open in another tab")).to_be_visible()
    page.get_by_role("button", name="Continue here instead").click()
    in_state(page, "heard")
    expect(page.get_by_label("What in the audio")).to_have_value(REASON)
    in_state(newer, "elsewhere")
    save(page)
    is_at(page, 2)
    assert Answer.objects.count() == 1


def test_an_answer_from_an_old_tab_is_kept_there(page: Page, browser: Any, live_server: Any, study: Study) -> None:
    address = begin(page, study)
    listen(page)
    fill(page)
    other_browser = browser.new_context(base_url=str(live_server))
    newer = other_browser.new_page()
    newer.goto(address)
    in_state(newer, "ready")
    save(page)
    in_state(page, "elsewhere")
    assert not Answer.objects.exists()
    page.get_by_role("button", name="Continue here instead").click()
    is_at(page, 2)
    assert Answer.objects.get().body["reason"] == REASON
    other_browser.close()


def test_a_lost_connection_keeps_the_answer_and_sends_it_later(
    page: Page, context: BrowserContext, study: Study
) -> None:
    begin(page, study)
    listen(page)
    fill(page)
    context.set_offline(True)
    save(page)
    in_state(page, "offline")
    expect(page.get_by_role("status")).to_contain_text("Your answer is kept here")
    assert not Answer.objects.exists()
    context.set_offline(False)
    is_at(page, 2)
    in_state(page, "ready")
    assert Answer.objects.count() == 1


def test_an_answer_whose_reply_was_lost_is_stored_once(page: Page, study: Study) -> None:
    def lose_the_reply(route: Route) -> None:
        route.fetch()
        route.abort()

    page.route("**/api/answers/*", lose_the_reply, times=1)
    begin(page, study)
    listen(page)
    fill(page)
    save(page)
    is_at(page, 2)
    assert Answer.objects.count() == 1


def test_an_answer_on_its_way_survives_a_reload(page: Page, study: Study) -> None:
    page.route("**/api/answers/*", lambda route: route.abort())
    begin(page, study)
    listen(page)
    fill(page)
    save(page)
    in_state(page, "offline")
    page.unroute("**/api/answers/*")
    page.reload()
    is_at(page, 2)
    in_state(page, "ready")
    assert Answer.objects.get().body["reason"] == REASON


def test_an_answer_stored_before_the_reload_is_not_stored_again(page: Page, study: Study) -> None:
    def lose_the_reply(route: Route) -> None:
        route.fetch()
        route.abort()

    page.route("**/api/answers/*", lose_the_reply)
    begin(page, study)
    listen(page)
    fill(page)
    save(page)
    in_state(page, "offline")
    page.unroute("**/api/answers/*")
    page.reload()
    is_at(page, 2)
    in_state(page, "ready")
    expect(page.get_by_label("What in the audio")).to_have_value("")
    assert Answer.objects.count() == 1


def test_a_busy_server_is_asked_again(page: Page, study: Study) -> None:
    page.route("**/api/answers/*", lambda route: route.fulfill(status=503, body="no"), times=1)
    begin(page, study)
    listen(page)
    fill(page)
    save(page)
    expect(page.get_by_role("status")).to_contain_text("The server is slow to respond")
    is_at(page, 2)
    assert Answer.objects.count() == 1


def test_a_server_that_takes_long_is_not_called_a_lost_connection(page: Page, study: Study) -> None:
    begin(page, study)
    listen(page)
    fill(page)
    page.evaluate(LATE)
    save(page)
    expect(page.get_by_role("status")).to_contain_text("The server is slow to respond")
    is_at(page, 2)
    assert Answer.objects.count() == 1


@pytest.mark.parametrize("status", [200, 403, 404, 413])
def test_what_a_portal_or_a_proxy_says_ends_nothing(page: Page, study: Study, status: int) -> None:
    page.route("**/api/answers/*", lambda route: route.fulfill(status=status, content_type="text/html", body=PORTAL))
    begin(page, study)
    listen(page)
    fill(page)
    save(page)
    in_state(page, "offline")
    expect(page.get_by_role("status")).to_contain_text("Your answer is kept here")
    expect(page.get_by_label("What in the audio")).to_have_value(REASON)
    page.reload()
    in_state(page, "offline")
    expect(page.get_by_label("What in the audio")).to_have_value(REASON)
    page.unroute("**/api/answers/*")
    is_at(page, 2)
    in_state(page, "ready")
    assert Answer.objects.get().body["reason"] == REASON


@pytest.mark.parametrize(("status", "body"), [(200, {}), (201, {"state": "trial"}), (403, {"message": "Forbidden"})])
def test_json_of_somebody_else_is_no_reply(page: Page, study: Study, status: int, body: Any) -> None:
    page.route("**/api/answers/*", lambda route: route.fulfill(status=status, json=body), times=1)
    begin(page, study)
    listen(page)
    fill(page)
    save(page)
    in_state(page, "offline")
    is_at(page, 2)
    assert Answer.objects.count() == 1


def test_a_portal_in_place_of_a_clip_is_no_clip(page: Page, study: Study) -> None:
    page.route("**/audio/*", lambda route: route.fulfill(content_type="text/html", body=PORTAL), times=1)
    page.goto(link(study))
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="I agree").click()
    page.get_by_role("button", name="Start").click()
    in_state(page, "failed")
    rate(page)
    is_at(page, 2)


def test_the_server_is_told_of_a_play_until_it_is_the_server_that_hears(page: Page, study: Study) -> None:
    page.route("**/api/played/*", lambda route: route.fulfill(content_type="text/html", body=PORTAL), times=1)
    begin(page, study)
    with page.expect_response(
        lambda response: "/played/" in response.url and "json" in response.headers["content-type"]
    ):
        listen(page)
    assert TrialClip.objects.filter(play_began_at__isnull=False).count() == 1


def test_a_page_that_asks_where_it_is_waits_for_the_server_to_say(page: Page, study: Study) -> None:
    refusal = {"error": "not_current", "message": "Another clip comes first."}
    page.route("**/api/played/*", lambda route: route.fulfill(status=409, json=refusal), times=1)
    page.route("**/api/current*", lambda route: route.fulfill(json={"sign": "in"}), times=1)
    begin(page, study)
    play_button(page).click()
    in_state(page, "offline")
    rate(page)
    is_at(page, 2)


def test_a_crowd_at_the_door_of_the_next_set_is_waited_out(page: Page, study: Study) -> None:
    refusal = {"error": "busy", "message": "Many people are starting at once."}
    page.route("**/api/answers/*", lambda route: route.fulfill(status=409, json=refusal), times=1)
    begin(page, study)
    listen(page)
    fill(page)
    save(page)
    expect(page.get_by_role("status")).to_contain_text("The server is slow to respond")
    is_at(page, 2)
    assert Answer.objects.count() == 1


def test_a_study_that_is_paused_meanwhile_goes_on_later(page: Page, study: Study) -> None:
    begin(page, study)
    for position in (1, 2, 3):
        is_at(page, position)
        listen(page)
        fill(page)
        if position == 3:
            states.pause(study=study)
            Study.objects.filter(pk=study.pk).update(notice="Back on Monday.")
        save(page)
    in_state(page, "hold")
    expect(page.get_by_role("heading", name="This study is paused")).to_be_visible()
    expect(page.get_by_text("What you saved is kept")).to_be_visible()
    assert Answer.objects.count() == 3
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("Back on Monday.")).to_be_visible()
    states.resume(study=study)
    page.get_by_role("link", name="Try again").click()
    in_state(page, "ready")
    is_at(page, 1, 2)
    expect(page.get_by_label("What in the audio")).to_have_value("")
    assert Answer.objects.count() == 3


def test_an_answer_that_comes_too_early_waits_and_goes_out_by_itself(page: Page, study: Study) -> None:
    # The server never hears that the clip was played, so its clock has not begun.
    page.route("**/api/played/*", lambda route: route.fulfill(json={}))
    begin(page, study)
    listen(page)
    page.unroute("**/api/played/*")
    fill(page)
    assert TrialClip.objects.filter(play_began_at__isnull=False).count() == 0
    save(page)
    expect(page.get_by_role("status")).to_contain_text("One moment")
    is_at(page, 2)
    trial = Answer.objects.get().trial
    began = TrialClip.objects.get(trial=trial).play_began_at
    assert isinstance(began, datetime)
    assert (Answer.objects.get().at - began).total_seconds() >= SECONDS - 0.25


def test_a_page_that_lost_its_session_says_what_to_do(page: Page, context: BrowserContext, study: Study) -> None:
    address = begin(page, study)
    listen(page)
    fill(page)
    context.clear_cookies()
    save(page)
    in_state(page, "stopped")
    page.goto(address)
    in_state(page, "heard")
    expect(page.get_by_label("What in the audio")).to_have_value(REASON)


def test_a_session_that_ended_elsewhere_shows_its_end(page: Page, study: Study) -> None:
    begin(page, study)
    listen(page)
    fill(page)
    finishing.withdraw(session_id=Session.objects.get().pk, now=timezone.now())
    save(page)
    page.wait_for_url("**/end/")
    expect(page.locator("#code")).to_have_text("LEFT1")


def test_a_clip_that_fails_to_load_is_tried_again(page: Page, study: Study) -> None:
    page.route("**/audio/*", lambda route: route.abort(), times=1)
    page.goto(link(study))
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="I agree").click()
    page.get_by_role("button", name="Start").click()
    in_state(page, "failed")
    expect(page.locator("#advice")).to_contain_text("could not be loaded")
    rate(page)
    is_at(page, 2)

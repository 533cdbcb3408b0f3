"""A rater's whole way by real clicks and keys."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from raters.models import Answer, Session
from raters.rating.listening import GIVEN_BACK
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
    sounds_until,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]


@pytest.fixture
def study(files: Any) -> Study:
    return make_study()


def test_a_rater_goes_from_the_link_to_the_code_by_clicks(page: Page, study: Study) -> None:
    begin(page, study)
    assert re.search(rf"/rate/{study.slug}/trial/$", page.url)
    for number in (1, 2):
        for position in (1, 2, 3):
            is_at(page, position, number)
            assert "DONE1" not in page.content()
            rate(page)
            if position < 3:
                expect(page.get_by_role("status")).to_have_text(f"✓ Clip {position} is saved.")
                expect(play_button(page)).to_be_focused()
        if number == 1:
            in_state(page, "breath")
            expect(page.get_by_role("heading", name="One set is done")).to_be_visible()
            page.get_by_role("button", name="Continue").click()
    page.wait_for_url("**/end/")
    expect(page.locator("#code")).to_have_text("DONE1")
    expect(page.get_by_role("link", name="Return to Prolific")).to_have_attribute(
        "href", "https://app.prolific.com/submissions/complete?cc=DONE1"
    )
    session = Session.objects.get(study=study)
    assert (session.step, session.outcome) == ("ended", "complete")
    answers = Answer.objects.filter(trial__session=session)
    assert answers.count() == 6
    for answer in answers:
        assert answer.body == {"label": "human", "reason": REASON}
        (clip,) = answer.evidence["clips"].values()
        assert clip["plays"] == 1
        assert clip["played"] > 0.95
        assert SECONDS - 0.3 < clip["first_end"] < SECONDS + 2
        assert answer.evidence["inputs"]["chars_pasted"] == 0
    page.reload()
    expect(page.locator("#code")).to_have_text("DONE1")


def test_each_clip_is_loaded_once_and_before_it_is_needed(page: Page, study: Study) -> None:
    calls: list[str] = []
    page.on("request", lambda request: calls.append(request.url))
    begin(page, study)
    rate(page)
    is_at(page, 2)
    in_state(page, "ready")
    audio = [call for call in calls if "/audio/" in call]
    assert len(audio) == len(set(audio))
    answered = next(index for index, call in enumerate(calls) if "/answers/" in call)
    assert len([call for call in calls[:answered] if "/audio/" in call]) == 2


def test_keys_alone_are_enough(page: Page, study: Study) -> None:
    address = link(study)
    page.goto(address)
    for key in ("Tab", "Tab"):
        page.keyboard.press(key)
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/instructions/")
    page.get_by_role("button", name="Start").focus()
    page.keyboard.press("Enter")
    for position in (1, 2, 3):
        is_at(page, position)
        in_state(page, "ready")
        page.keyboard.press("Space")
        in_state(page, "heard")
        page.keyboard.press("3")
        expect(page.get_by_role("radio", name="Machine")).to_be_checked()
        page.keyboard.press("Tab")
        page.keyboard.type(REASON + " 1 2")
        page.keyboard.press("Control+Enter")
    in_state(page, "breath")
    page.keyboard.press("Enter")
    is_at(page, 1, 2)
    assert set(Answer.objects.values_list("body__label", flat=True)) == {"machine"}
    assert Answer.objects.values_list("reason", flat=True)[0] == REASON + " 1 2"
    inputs = Answer.objects.all()[0].evidence["inputs"]
    assert inputs["types"]["insertText"] == len(REASON + " 1 2")


def test_single_keys_can_be_switched_off_for_good(page: Page, study: Study) -> None:
    begin(page, study)
    page.get_by_label("Keys: Space plays").uncheck()
    page.reload()
    in_state(page, "ready")
    expect(page.get_by_label("Keys: Space plays")).not_to_be_checked()
    page.locator("body").press("3")
    expect(page.get_by_role("radio", name="Machine")).not_to_be_checked()


def test_saving_before_the_end_explains_and_keeps_what_was_written(page: Page, study: Study) -> None:
    begin(page, study)
    fill(page)
    save(page, too_early=True)
    expect(page.locator("#advice")).to_have_text(re.compile("listen to the whole clip first"))
    expect(page.get_by_label("What in the audio")).to_have_value(REASON)
    expect(play_button(page)).to_be_focused()
    assert not Answer.objects.exists()
    play_button(page).click()
    in_state(page, "heard")
    save(page)
    is_at(page, 2)


def test_problems_stand_beside_their_fields(page: Page, study: Study) -> None:
    begin(page, study)
    listen(page)
    page.get_by_label("What in the audio").fill("Too short 👩‍👩‍👧")
    expect(page.locator("#reason-count")).to_have_text("8 of 20 letters or digits")
    save(page)
    expect(page.locator("#label-problem")).to_have_text("Please choose one of the three.")
    expect(page.locator("#reason-problem")).to_have_text("Please write a little more: 12 letters or digits to go.")
    page.get_by_label("What in the audio").fill("停顿的位置不太自然")
    page.get_by_role("radio", name="Unclear").check()
    save(page)
    is_at(page, 2)


def test_a_pause_is_counted_and_goes_on_where_it_stopped(page: Page, files: Any) -> None:
    begin(page, make_study(seconds=2.0))
    play_button(page).click()
    in_state(page, "playing")
    sounds_until(page, 0.2)
    play_button(page).click()
    in_state(page, "paused")
    expect(play_button(page)).to_have_text(re.compile("Continue"))
    play_button(page).click()
    in_state(page, "heard")
    fill(page)
    save(page)
    is_at(page, 2)
    (clip,) = Answer.objects.get().evidence["clips"].values()
    assert (clip["plays"], clip["interrupted"]) == (1, 1)


def test_where_interruptions_void_a_play_the_clip_starts_again(page: Page, files: Any) -> None:
    begin(page, make_study(seconds=2.0, protocol__interruption="void"))
    play_button(page).click()
    in_state(page, "playing")
    sounds_until(page, 0.15)
    play_button(page).click()
    expect(page.locator("#advice")).to_contain_text("The clip was interrupted")
    fill(page)
    save(page, too_early=True)
    expect(page.locator("#advice")).to_contain_text("listen to the whole clip first")
    listen(page)
    save(page)
    is_at(page, 2)
    (clip,) = Answer.objects.get().evidence["clips"].values()
    assert (clip["plays"], clip["interrupted"]) == (2, 1)


def interrupt(page: Page) -> None:
    play_button(page).click()
    in_state(page, "playing")
    sounds_until(page, 0.15)
    play_button(page).click()


def test_an_only_play_that_is_voided_is_given_back(page: Page, files: Any) -> None:
    begin(page, make_study(seconds=2.0, protocol__interruption="void", protocol__max_plays=1))
    interrupt(page)
    in_state(page, "ready")
    expect(page.locator("#advice")).to_contain_text("play it again without stopping")
    # A page that is loaded again in the middle of a play voids it, too.
    play_button(page).click()
    in_state(page, "playing")
    page.reload()
    listen(page)
    expect(page.locator("#advice")).to_contain_text("as often as this study allows")
    expect(play_button(page)).to_have_attribute("aria-disabled", "true")
    fill(page)
    save(page)
    is_at(page, 2)
    answer = Answer.objects.get()
    (clip,) = answer.evidence["clips"].values()
    assert (clip["plays"], clip["played"]) == (3, 1)
    assert answer.trial.clips.get().plays == 3


def test_where_it_is_voided_again_and_again_the_rater_may_answer(page: Page, files: Any) -> None:
    begin(page, make_study(seconds=2.0, protocol__interruption="void", protocol__max_plays=1))
    for _time in range(GIVEN_BACK):
        interrupt(page)
        in_state(page, "ready")
    interrupt(page)
    in_state(page, "heard")
    expect(page.locator("#advice")).to_contain_text("as often as this study allows")
    expect(play_button(page)).to_have_attribute("aria-disabled", "true")
    fill(page)
    save(page)
    is_at(page, 2)
    answer = Answer.objects.get()
    (clip,) = answer.evidence["clips"].values()
    assert (clip["plays"], clip["interrupted"]) == (GIVEN_BACK + 1, GIVEN_BACK + 1)
    assert clip["first_end"] is clip["since_end"] is None
    assert 0 < clip["played"] < 0.8
    assert answer.trial.clips.get().plays == GIVEN_BACK + 1


def test_times_and_counts_of_listening_outlive_a_reload(page: Page, files: Any) -> None:
    begin(page, make_study(seconds=1.0))
    listen(page)
    fill(page)
    # Time that passes on the page is what is counted.
    page.wait_for_timeout(500)
    page.reload()
    in_state(page, "heard")
    page.wait_for_timeout(200)
    save(page)
    is_at(page, 2)
    answer = Answer.objects.get()
    (clip,) = answer.evidence["clips"].values()
    assert (clip["plays"], clip["played"], clip["interrupted"]) == (1, 1, 0)
    assert 0.7 < clip["first_end"] < 3
    # Both waits; by the server's clock it can't be longer.
    heard = answer.trial.clips.get()
    assert heard.play_began_at is not None
    assert 0.6 < clip["since_end"] < (answer.at - heard.play_began_at).total_seconds() - 0.25


def test_the_share_that_was_played_outlives_a_reload(page: Page, files: Any) -> None:
    begin(page, make_study(seconds=2.0, protocol__playback="record"))
    play_button(page).click()
    in_state(page, "playing")
    sounds_until(page, 0.4)
    page.reload()
    in_state(page, "ready")
    play_button(page).click()
    in_state(page, "playing")
    fill(page)
    save(page)
    is_at(page, 2)
    (clip,) = Answer.objects.get().evidence["clips"].values()
    assert clip["played"] > 0.3
    assert clip["plays"] == 2


def test_the_time_of_the_decision_is_taken_at_the_first_sending(page: Page, study: Study) -> None:
    bodies: list[Any] = []

    def refuse(route: Route) -> None:
        bodies.append(route.request.post_data_json)
        route.fulfill(status=503, body="no")

    page.route("**/api/answers/*", refuse, times=2)
    begin(page, study)
    listen(page)
    fill(page)
    save(page)
    is_at(page, 2)
    assert bodies[0] == bodies[1]
    answer = Answer.objects.get()
    assert answer.evidence == bodies[0]["evidence"]
    (clip,) = answer.evidence["clips"].values()
    heard = answer.trial.clips.get()
    assert heard.play_began_at is not None
    # Two failures and their waits lie between the sending and the storing.
    assert 0 < clip["since_end"] < (answer.at - heard.play_began_at).total_seconds() - SECONDS - 1


def test_no_play_is_offered_beyond_those_allowed(page: Page, files: Any) -> None:
    begin(page, make_study(protocol__max_plays=1))
    listen(page)
    expect(page.locator("#advice")).to_contain_text("as often as this study allows")
    expect(play_button(page)).to_have_attribute("aria-disabled", "true")
    page.reload()
    in_state(page, "heard")
    expect(play_button(page)).to_have_attribute("aria-disabled", "true")
    fill(page)
    save(page)
    is_at(page, 2)


def test_a_clip_can_not_be_skipped_through(page: Page, files: Any) -> None:
    begin(page, make_study(seconds=3.0))
    assert page.locator("audio").count() == 0
    assert page.locator("[data-part=track]").get_attribute("tabindex") is None
    play_button(page).click()
    in_state(page, "playing")
    began = page.evaluate("performance.now()")
    in_state(page, "heard")
    assert page.evaluate("performance.now()") - began > 2500


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 844)])
def test_a_trial_fits_the_screen(page: Page, study: Study, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    begin(page, study)
    sizes = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
    assert sizes[0] <= width
    assert sizes[1] <= height
    for option in page.locator(".option").all():
        box = option.bounding_box()
        assert box is not None
        assert box["height"] >= 44


def test_a_trial_works_at_320_pixels(page: Page, study: Study) -> None:
    page.set_viewport_size({"width": 320, "height": 640})
    begin(page, study)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    rate(page)
    is_at(page, 2)


def test_leaving_asks_and_gives_its_own_code(page: Page, study: Study) -> None:
    begin(page, study)
    page.get_by_role("link", name="Leave", exact=True).click()
    page.get_by_role("link", name="Go back to the study").click()
    in_state(page, "ready")
    page.get_by_role("link", name="Leave", exact=True).click()
    page.get_by_role("button", name="Leave study").click()
    expect(page.locator("#code")).to_have_text("LEFT1")


def test_instructions_and_examples_stay_at_hand(page: Page, study: Study) -> None:
    begin(page, study)
    page.get_by_role("button", name="Instructions and examples").click()
    expect(page.get_by_role("dialog")).to_contain_text("Sounds like a robot.")
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_nothing_is_spoken_while_a_clip_plays(page: Page, files: Any) -> None:
    begin(page, make_study(seconds=1.5))
    play_button(page).click()
    in_state(page, "playing")
    save(page, too_early=True)
    expect(page.get_by_role("status")).to_have_text("")
    in_state(page, "heard")
    expect(page.get_by_role("status")).not_to_have_text("")

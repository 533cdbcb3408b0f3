"""What devices do to a rater's sound and time: calls, pulled headphones, autoplay rules, touch, sleep, wrong clocks."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from raters.models import Answer
from tests import screens
from tests.browser.steps import (
    REASON,
    begin,
    fill,
    in_state,
    is_at,
    link,
    listen,
    make_study,
    play_button,
    save,
    sounds_until,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]

HOUR = 3_600
# The page's audio elements and contexts, which it adds to no document.
CATCH = """
  window.audios = [];
  window.Audio = class extends window.Audio { constructor() { super(); audios.push(this); } };
  window.contexts = [];
  window.AudioContext = class extends window.AudioContext { constructor() { super(); contexts.push(this); } };
"""
# As Firefox tells of a device that is gone: an error, and then the end of a clip that nobody heard.
LOSE_OUTPUT = """
  Object.defineProperty(audios[0], "error", { value: { code: 3 }, configurable: true });
  for (const name of ["error", "pause", "ended"]) audios[0].dispatchEvent(new Event(name));
"""


@pytest.fixture(autouse=True)
def caught(page: Page) -> None:
    page.add_init_script(CATCH)


def begin_screen(page: Page, **settings: Any) -> None:
    begin(page, screens.make_study(**{"now": timezone.now(), "seconds": (2.0,), "texts": 2, **settings}))


def play_reference(page: Page) -> None:
    page.get_by_role("group", name="Reference").get_by_role("button").click()
    in_state(page, "playing")


def evidence() -> dict[str, Any]:
    (clip,) = Answer.objects.get().evidence["clips"].values()
    return dict(clip)


def hide(page: Page, *, is_hidden: bool) -> None:
    page.evaluate(
        """isHidden => {
          Object.defineProperty(document, "hidden", { value: isHidden, configurable: true });
          document.dispatchEvent(new Event("visibilitychange"));
        }""",
        is_hidden,
    )


def test_a_clip_whose_output_is_gone_is_not_heard_and_can_be_played_again(page: Page) -> None:
    begin(page, make_study(seconds=2.0))
    play_button(page).click()
    in_state(page, "playing")
    page.evaluate(LOSE_OUTPUT)
    in_state(page, "failed")
    expect(page.locator("#advice")).to_contain_text("Check that headphones or speakers are connected")
    fill(page)
    save(page, too_early=True)
    expect(page.locator("#advice")).to_contain_text("listen to the whole clip first")
    page.evaluate("delete audios[0].error")
    play_button(page).click()
    listen(page)
    save(page)
    is_at(page, 2)
    assert (evidence()["plays"], evidence()["interrupted"], evidence()["played"]) == (2, 1, 1)


def test_a_clip_that_was_heard_stays_heard_when_the_output_goes_at_the_second_time(page: Page) -> None:
    begin(page, make_study(seconds=1.0))
    listen(page)
    play_button(page).click()
    in_state(page, "playing")
    page.evaluate(LOSE_OUTPUT)
    in_state(page, "failed")
    page.evaluate("delete audios[0].error")
    play_button(page).click()
    in_state(page, "heard")
    fill(page)
    save(page)
    is_at(page, 2)


def test_a_screen_whose_clock_stands_still_says_that_the_sound_is_gone(page: Page) -> None:
    begin_screen(page, seconds=(5.0,))
    play_reference(page)
    page.evaluate(
        "still => Object.defineProperty(contexts[0], 'currentTime', { get: () => still, configurable: true })",
        page.evaluate("contexts[0].currentTime"),
    )
    in_state(page, "failed")
    expect(page.locator("#advice")).to_contain_text("Check that headphones or speakers are connected")
    page.evaluate("delete contexts[0].currentTime")
    reference = page.get_by_role("group", name="Reference")
    reference.get_by_role("button").click()
    play_reference(page)
    expect(reference).to_have_attribute("data-state", "ended")


@pytest.mark.parametrize(("interruption", "state"), [("keep", "paused"), ("void", "ready")])
def test_a_call_stops_a_clip_as_a_pause_does(page: Page, interruption: str, state: str) -> None:
    begin(page, make_study(seconds=2.0, protocol__interruption=interruption))
    play_button(page).click()
    in_state(page, "playing")
    sounds_until(page, 0.2)
    page.evaluate("audios[0].pause()")
    in_state(page, state)
    play_button(page).click()
    in_state(page, "heard")
    fill(page)
    save(page)
    is_at(page, 2)
    assert (evidence()["interrupted"], evidence()["plays"]) == (1, 1 if interruption == "keep" else 2)


@pytest.mark.parametrize(("interruption", "state"), [("keep", "paused"), ("void", "ready")])
def test_a_call_stops_a_clip_of_a_screen_too(page: Page, interruption: str, state: str) -> None:
    begin_screen(page, protocol__interruption=interruption)
    play_reference(page)
    sounds_until(page, 0.2)
    page.evaluate("contexts[0].suspend()")
    in_state(page, state)
    play_reference(page)
    expect(page.get_by_role("group", name="Reference")).to_have_attribute("data-state", "ended")
    assert page.evaluate("contexts[0].state") == "running"


def test_nothing_sounds_without_a_gesture_and_the_first_one_is_enough(page: Page) -> None:
    begin_screen(page)
    page.reload()
    in_state(page, "ready")
    assert page.evaluate("contexts[0].state") == "suspended"
    play_reference(page)
    expect(page.get_by_role("group", name="Reference")).to_have_attribute("data-state", "ended")


def test_a_browser_that_allows_no_sound_says_so_and_lets_try_again(page: Page) -> None:
    begin(page, make_study())
    page.evaluate("void (audios[0].play = () => Promise.reject(new DOMException('Not now.', 'NotAllowedError')))")
    play_button(page).click()
    in_state(page, "failed")
    expect(page.locator("#advice")).to_contain_text("This device could not play the sound")
    page.evaluate("delete audios[0].play")
    play_button(page).click()
    listen(page)


def test_a_finger_is_enough(browser: Browser, live_server: Any) -> None:
    study = screens.make_study(now=timezone.now(), seconds=(0.5,), texts=2)
    phone = {"width": 390, "height": 844}
    with browser.new_context(base_url=str(live_server), viewport=phone, has_touch=True, is_mobile=True) as context:
        page = context.new_page()
        page.goto(link(study))
        page.get_by_label("I have read this").tap()
        page.get_by_role("button", name="I agree").tap()
        page.get_by_role("button", name="Start").tap()
        in_state(page, "ready")
        for name in ("Reference", "Clip A", "Clip B", "Clip C"):
            group = page.get_by_role("group", name=name, exact=True)
            group.get_by_role("button").tap()
            expect(group).to_have_attribute("data-state", "ended")
        for letter, share in (("A", 0.2), ("B", 0.5), ("C", 0.8)):
            slider = page.get_by_role("slider", name=f"Clip {letter}", exact=True)
            slider.scroll_into_view_if_needed()
            box = slider.bounding_box()
            assert box is not None
            slider.tap(position={"x": box["width"] * share, "y": box["height"] / 2})
        page.get_by_role("button", name="Save and continue").tap()
        expect(page.locator("#where")).to_contain_text("Screen 2 of 2")
    ratings = [*Answer.objects.get().body["ratings"].values()]
    assert [round(rating, -1) for rating in ratings] == [20, 50, 80]


@pytest.mark.parametrize("hours", [3, -5])
def test_a_clock_that_is_set_meanwhile_changes_no_time(page: Page, hours: int) -> None:
    page.clock.install()
    begin(page, make_study(seconds=2.0))
    play_button(page).click()
    in_state(page, "playing")
    page.clock.set_system_time(page.evaluate("Date.now() / 1000") + hours * HOUR)
    in_state(page, "heard")
    page.clock.set_system_time(page.evaluate("Date.now() / 1000") + hours * HOUR)
    fill(page)
    save(page)
    is_at(page, 2)
    assert 1.5 < evidence()["first_end"] < 30
    assert 0 <= evidence()["since_end"] < 30


def test_an_hour_in_the_background_loses_nothing_and_is_told(page: Page) -> None:
    page.clock.install()
    begin(page, make_study())
    listen(page)
    page.get_by_label("What in the audio").fill(REASON)
    hide(page, is_hidden=True)
    page.clock.fast_forward("01:00:00")
    hide(page, is_hidden=False)
    page.get_by_role("radio", name="Human").check()
    save(page)
    is_at(page, 2)
    answer = Answer.objects.get()
    assert answer.body["reason"] == REASON
    assert HOUR <= answer.evidence["hidden_ms"] / 1000 < HOUR + 60
    assert evidence()["since_end"] > HOUR


def test_a_frozen_tab_sends_its_answer_once_it_is_woken(page: Page) -> None:
    begin(page, make_study())
    listen(page)
    fill(page)
    line = page.context.new_cdp_session(page)
    line.send("Page.setWebLifecycleState", {"state": "frozen"})
    page.wait_for_timeout(1_000)
    line.send("Page.setWebLifecycleState", {"state": "active"})
    save(page)
    is_at(page, 2)
    assert Answer.objects.count() == 1


def test_whoever_hears_nothing_reads_what_to_try(page: Page) -> None:
    page.goto(link(make_study(screening__device="flag")))
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="I agree").click()
    expect(page.get_by_text("turn off silent mode")).to_be_visible()
    begin(page, make_study())
    page.get_by_role("button", name="Instructions and examples").click()
    expect(page.get_by_role("dialog").get_by_text("turn off silent mode")).to_be_visible()

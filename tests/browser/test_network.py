"""Bad lines, odd browsers, and how a reason came to be written, as a real browser tells it (acceptance test 16)."""

from __future__ import annotations

from threading import Event
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from raters.models import Answer, ClipFailure, Session
from raters.rating.rules import writing
from studies.models import Study
from tests.browser.steps import begin, fill, in_state, is_at, listen, make_study, open_trial, play_button, rate, save

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]
CHINESE = "最后一个词前面的停顿太长了，语调也不自然"
SENTENCE = "The pause before the last word is too long, and it breaks off."
WORDS = ("最后一个词", "前面的停顿", "太长了，", "语调也不自然")
# The page's clock is moved on, so that nobody has to wait.
BACK_AFTER_SIX_SECONDS = """() => {
  const real = performance.now.bind(performance);
  dispatchEvent(new Event("blur"));
  performance.now = () => real() + 6000;
  dispatchEvent(new Event("focus"));
}"""


@pytest.fixture
def study(files: Any) -> Study:
    return make_study()


def counted() -> writing.Writing:
    """Return what the newest answer's page counted."""
    found = writing.of(Answer.objects.order_by("at").last().evidence)  # type: ignore[union-attr]
    assert found is not None
    return found


def flagged() -> set[str]:
    answer = Answer.objects.order_by("at").last()
    assert answer is not None
    return writing.flags(answer.reason, writing.of(answer.evidence))


def test_crowd_16_a_chinese_reason_is_typing_and_sixty_pasted_characters_are_not(
    page: Page, context: BrowserContext, study: Study
) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    begin(page, study)
    listen(page)
    page.get_by_role("radio", name="Unclear").check()
    page.get_by_label("What in the audio").click()
    page.evaluate(BACK_AFTER_SIX_SECONDS)
    # As an input method does it: what is being composed changes with each key, then it is put in.
    method = context.new_cdp_session(page)
    for word in WORDS:
        for end in range(1, len(word) + 1):
            method.send("Input.imeSetComposition", {"text": word[:end], "selectionStart": end, "selectionEnd": end})
        method.send("Input.insertText", {"text": word})
    expect(page.get_by_label("What in the audio")).to_have_value(CHINESE)
    save(page)
    is_at(page, 2)
    assert Answer.objects.get().reason == CHINESE
    assert (counted().compositions, counted().chars_composed, counted().pastes) == (4, len(CHINESE), 0)
    assert (counted().away_s, counted().after_away) == (6, 0)
    assert flagged() == set()

    listen(page)
    page.get_by_role("radio", name="Unclear").check()
    page.evaluate("text => navigator.clipboard.writeText(text)", SENTENCE)
    page.get_by_label("What in the audio").click()
    page.keyboard.press("Control+V")
    expect(page.get_by_label("What in the audio")).to_have_value(SENTENCE)
    # What is counted outlives a reload.
    page.reload()
    in_state(page, "heard")
    save(page)
    is_at(page, 3)
    assert (counted().pastes, counted().chars_pasted, counted().largest_insert) == (1, 62, 62)
    assert flagged() == {"pasted"}
    assert SENTENCE not in str(Answer.objects.order_by("at").last().evidence)  # type: ignore[union-attr]

    # To move one's own words is not to paste, and to type is to type.
    listen(page)
    page.get_by_role("radio", name="Unclear").check()
    field = page.get_by_label("What in the audio")
    field.click()
    page.keyboard.type(SENTENCE)
    field.select_text()
    page.keyboard.press("Control+X")
    page.keyboard.press("Control+V")
    expect(field).to_have_value(SENTENCE)
    save(page)
    in_state(page, "breath")
    assert (counted().pastes, counted().chars_moved, counted().insertions) == (0, 62, 63)
    assert flagged() == set()


def test_jumps_speed_and_a_page_that_is_left_are_noticed_and_said_to_nobody(page: Page, study: Study) -> None:
    # Only the page's own scripts hold its audio element: let it be found.
    page.add_init_script(
        "const Real = window.Audio; window.Audio = function (...given) { return (window.disc = new Real(...given)); };"
    )
    begin(page, study)
    play_button(page).click()
    in_state(page, "playing")
    page.evaluate("() => { disc.playbackRate = 2; }")
    in_state(page, "heard")
    assert page.evaluate("disc.playbackRate") == 1
    page.evaluate("() => { dispatchEvent(new Event('blur')); dispatchEvent(new Event('focus')); }")
    fill(page)
    save(page)
    is_at(page, 2)
    (clip,) = Answer.objects.get().evidence["clips"].values()
    assert (clip["speeds"], clip["seeks"]) == (1, 0)
    assert counted().blurs == 1
    for word in ("speed", "left", "noticed"):
        expect(page.locator("#trial")).not_to_contain_text(word)


def test_a_clip_that_goes_on_failing_is_reported_and_costs_nothing(page: Page, study: Study) -> None:
    page.route("**/audio/*", lambda route: route.abort())
    # A report that does not get through skips nothing.
    page.route("**/api/failed/*", lambda route: route.abort(), times=1)
    open_trial(page, study)
    in_state(page, "failed")
    report = page.get_by_role("button", name="Report the clip and continue")
    expect(report).to_be_hidden()
    page.get_by_role("button", name="Try now").click()
    expect(report).to_be_visible()
    expect(page.get_by_role("status")).to_contain_text("Does it keep failing?")
    report.click()
    expect(page.get_by_role("status")).to_contain_text("The server can’t be reached")
    assert not ClipFailure.objects.exists()
    page.unroute("**/audio/*")
    report.click()
    is_at(page, 2)
    expect(page.get_by_role("status")).to_contain_text("The clip is reported")
    expect(report).to_be_hidden()
    assert ClipFailure.objects.get().trial.position == 1
    rate(page)
    is_at(page, 3)
    rate(page)
    in_state(page, "breath")
    assert Answer.objects.count() == 2
    assert Session.objects.get().outcome == ""


def test_a_whole_session_from_prolific_s_link_over_bad_lines_and_back(
    page: Page, context: BrowserContext, files: Any
) -> None:
    study = make_study(protocol__batches_per_session=1)
    is_gone = Event()
    page.route("**/api/answers/*", lambda route: route.abort() if is_gone.is_set() else route.continue_())
    address = begin(page, study)
    rate(page)
    is_at_one(page, 2)
    # The line goes just as an answer is sent, and the page is loaded again before it is back.
    listen(page)
    fill(page)
    is_gone.set()
    save(page)
    in_state(page, "offline")
    is_gone.clear()
    page.reload()
    is_at_one(page, 3)
    in_state(page, "ready")
    listen(page)
    fill(page)
    page.get_by_role("button", name="Save and continue").dblclick()
    page.wait_for_url("**/end/")
    expect(page.locator("#code")).to_have_text("DONE1")
    back = page.get_by_role("link", name="Return to Prolific")
    expect(back).to_have_attribute("href", "https://app.prolific.com/submissions/complete?cc=DONE1")
    # The link that one came by, once more, and Back: there is nothing to do twice.
    page.goto(address)
    page.wait_for_url("**/end/")
    page.go_back()
    page.wait_for_url("**/end/")
    assert Answer.objects.count() == 3
    session = Session.objects.get()
    assert (session.outcome, session.payable) == ("complete", True)


def test_whoever_leaves_may_take_their_answers_along_and_bring_them_back(page: Page, study: Study) -> None:
    begin(page, study)
    rate(page)
    is_at(page, 2)
    page.get_by_role("link", name="Leave", exact=True).click()
    page.get_by_role("link", name="Go back to the study").click()
    is_at(page, 2)
    page.get_by_role("link", name="Leave", exact=True).click()
    page.get_by_role("radio", name="Delete my answers").check()
    page.get_by_role("button", name="Leave study").click()
    page.wait_for_url("**/end/")
    expect(page.locator("#code")).to_have_text("LEFT1")
    expect(page.get_by_text("You asked for your answers to be deleted")).to_be_visible()
    session = Session.objects.get()
    assert (session.outcome, session.payable) == ("withdrawn", False)
    page.get_by_role("button", name="Keep my answers").click()
    page.goto(f"/rate/{study.slug}/end/")
    expect(page.locator("#code")).to_have_text("LEFT1")
    expect(page.get_by_text("You asked for your answers to be deleted")).to_be_hidden()
    assert Answer.objects.get().reason


def is_at_one(page: Page, position: int) -> None:
    expect(page.locator("#where")).to_contain_text(f"Clip {position} of 3")

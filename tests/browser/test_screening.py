"""The first checks in a browser: the whole way by keyboard, a screen-out, and a check between two sets."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from raters.models import Answer, CheckResult, FairCheck, Session
from studies.models import Study
from tests.browser.looking import look
from tests.browser.steps import begin, in_state, link, listen, make_study, rate
from tests.raters.sessions.screening.listener import ALL, ATTENTION, right, wrong
from tests.raters.sessions.screening.listener import make_study as with_training

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]
CODES: dict[str, Any] = {
    "crowd__completion_code": "DONE1",
    "crowd__screened_out_code": "OUT77",
    "texts__instructions": "Hear **all**.",
}


def agree(page: Page, study: Study) -> None:
    page.goto(link(study))
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="I agree").click()
    page.wait_for_url("**/check/")


def open_check() -> CheckResult:
    return CheckResult.objects.get(passed=None)


def hear(page: Page) -> None:
    """Play the sound with the keyboard, and hear that it plays."""
    play = page.locator("[data-play]")
    # It is hidden until the page's script and its style sheet are there, and what is hidden takes no focus.
    expect(play).to_be_visible()
    page.wait_for_load_state()
    play.press("Enter")
    expect(page.locator("[data-sound]")).to_have_attribute("data-state", "playing")


def choose(page: Page, name: str, value: str) -> None:
    """Choose among radio buttons with the keyboard alone."""
    page.locator(f"input[name={name}]").first.focus()
    page.keyboard.press("Space")
    for _step in range(int(value)):
        page.keyboard.press("ArrowDown")
    expect(page.locator(f"input[name={name}][value='{value}']")).to_be_checked()


def go_on(page: Page) -> None:
    """Send the form with the keyboard."""
    before = page.locator("form:not([data-answer]) input[name=at]").first.get_attribute("value")
    send = page.locator("form .actions .button").last
    # It waits for the page's script, and what is disabled takes no focus.
    expect(send).to_be_enabled()
    send.focus()
    page.keyboard.press("Enter")
    expect(page.locator(f"input[name=at][value='{before}']")).to_have_count(0)


def answer(page: Page, *, rightly: bool = True) -> None:
    """Answer the check that is shown, as its form asks."""
    result = open_check()
    form = right(result) if rightly else wrong(result)
    if "digits" in form:
        hear(page)
        page.locator("#digits").focus()
        page.keyboard.type(form["digits"])
    elif "first" in form:
        page.get_by_label("What is your first language?").select_option(form["first"])
    elif result.name == "volume":
        hear(page)
    else:
        for name, value in form.items():
            choose(page, name, value)
    go_on(page)


def test_the_whole_way_by_keyboard_from_the_first_check_to_the_first_clip(page: Page) -> None:
    study = with_training(timezone.now(), **ALL, **CODES)
    page.set_viewport_size({"width": 390, "height": 844})
    agree(page, study)
    expect(page.locator(".where")).to_contain_text("Check 1 of 5")
    answer(page, rightly=False)
    expect(page.locator(".note")).to_contain_text("try again")
    page.reload()
    answer(page)
    seen = CheckResult.objects.get(name="device").answers
    assert [(tried[0]["audio"], tried[0]["width"]) for tried in seen] == [(True, 390), (True, 390)]
    answer(page)
    answer(page)
    hear(page)
    expect(page.locator(".where")).to_contain_text("question 1 of 6")
    # Somebody who chooses nothing is told so, and a reload goes on where it was.
    page.locator("form .actions .button").click()
    expect(page.locator("#interval-problem")).to_be_visible()
    answer(page)
    page.reload()
    expect(page.locator(".where")).to_contain_text("question 2 of 6")
    page.goto(f"/rate/{study.slug}/trial/")
    page.wait_for_url("**/check/")
    while "/check/" in page.url:
        answer(page)
    page.wait_for_url("**/instructions/")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/check/")
    answer(page, rightly=False)
    expect(page.locator(".again")).to_contain_text("Hear all.")
    answer(page)
    for number in (1, 2):
        expect(page.locator(".where")).to_contain_text(f"practice clip {number} of 2")
        expect(page.locator("#practice")).to_have_attribute("data-state", "ready")
        is_human = right(open_check())["answer"].find('"human"') > 0
        page.keyboard.press("Control+Enter")
        expect(page.locator("#advice")).to_contain_text("listen to the whole clip first")
        page.keyboard.press("Enter")
        expect(page.locator("#practice")).to_have_attribute("data-state", "heard")
        page.keyboard.press("Control+Enter")
        expect(page.locator("#label-problem")).to_be_visible()
        page.get_by_role("radio", name="Human").focus()
        page.keyboard.press("Space")
        page.get_by_label("What in the audio").fill("The pause before the last word is too long")
        page.keyboard.press("Control+Enter")
        expect(page.locator("h1")).to_have_text("Yes, that fits" if is_human else "Another answer would fit better")
        # The result has the focus, so that it is read out; the button that goes on comes next.
        expect(page.locator("h1")).to_be_focused()
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
    in_state(page, "ready")
    assert set(CheckResult.objects.values_list("passed", flat=True)) == {True}
    assert not Answer.objects.exists()


def test_who_hears_no_difference_leaves_with_the_code_that_pays(page: Page) -> None:
    wanted: dict[str, Any] = {"screening__headphones": "huggins", "screening__headphones_failed": "screen_out"}
    study = make_study(**wanted, crowd__screened_out_code="OUT77")
    agree(page, study)
    for _trial in range(6):
        answer(page, rightly=False)
    expect(page.locator(".note")).to_contain_text("Please try again")
    for _trial in range(5):
        answer(page, rightly=False)
    page.locator("input[name=interval]").nth(int(wrong(open_check())["interval"])).check()
    page.locator("form .actions .button").click()
    page.wait_for_url("**/end/")
    expect(page.locator("#code")).to_have_text("OUT77")
    page.goto(f"/rate/{study.slug}/check/")
    page.wait_for_url("**/end/")
    assert Session.objects.get().outcome == Session.Outcome.SCREENED_OUT


def test_between_two_sets_the_page_leads_to_the_volume_and_back(page: Page) -> None:
    study = make_study(screening__recheck_minutes=30, screening__volume=True)
    page.goto(link(study))
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="I agree").click()
    answer(page)
    page.get_by_role("button", name="Start").click()
    in_state(page, "ready")
    session = Session.objects.get()
    Session.objects.update(started_at=session.started_at - timedelta(minutes=31) if session.started_at else None)
    for position in (1, 2, 3):
        expect(page.locator("#where")).to_contain_text(f"Clip {position} of 3 · set 1 of 2")
        rate(page)
    page.wait_for_url("**/check/")
    expect(page.locator(".where")).to_contain_text("A short check")
    answer(page)
    in_state(page, "ready")
    expect(page.locator("#where")).to_contain_text("Clip 1 of 3 · set 2 of 2")
    listen(page)


def test_between_two_sets_one_question_is_asked_and_answered_by_keyboard(page: Page) -> None:
    study = make_study(screening__attention=ATTENTION, protocol__batches_per_session=3)
    begin(page, study)
    for number, rightly in ((1, False), (2, True)):
        for position in (1, 2, 3):
            expect(page.locator("#where")).to_contain_text(f"Clip {position} of 3 · set {number} of 3")
            rate(page)
        page.wait_for_url("**/check/")
        expect(page.locator("legend")).to_have_text(ATTENTION[number - 1].partition(" |")[0])
        assert look(page) == []
        choices = page.locator(".option").all_inner_texts()
        # Whoever chooses nothing is told so; neither that nor a reload draws anything else.
        page.locator("form .actions .button").click()
        expect(page.locator("#question-problem")).to_be_visible()
        assert look(page) == []
        page.reload()
        assert page.locator(".option").all_inner_texts() == choices
        answer(page, rightly=rightly)
        # Its address does not ask anew.
        page.goto(f"/rate/{study.slug}/check/")
        in_state(page, "ready")
    assert list(FairCheck.objects.order_by("pk").values_list("passed", flat=True)) == [False, True]
    listen(page)

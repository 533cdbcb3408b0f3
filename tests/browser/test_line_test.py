"""The line test: raters on a slow line are told how long they will wait before the first clip, and may leave."""

from __future__ import annotations

import re

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from raters.models import Session, TrialClip
from tests import screens
from tests.browser.looking import look
from tests.browser.steps import begin, fill, in_state, is_at, listen, make_study, open_trial, save
from tests.browser.test_slow_lines import SLOW, Line

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]
# So long that it takes 12 s on the slow line, and fewer than it plays.
SECONDS = 38.0
HEADING = "Your connection is slow"


@pytest.fixture
def line(page: Page, context: BrowserContext) -> Line:
    return Line(page, context)


def test_on_a_good_line_nobody_meets_it(page: Page, line: Line) -> None:
    begin(page, make_study())
    expect(page.get_by_role("heading", name=HEADING)).to_be_hidden()
    listen(page)
    fill(page)
    save(page)
    is_at(page, 2)


def test_a_slow_line_is_told_of_and_what_has_come_is_kept(page: Page, line: Line) -> None:
    study = make_study(seconds=SECONDS, protocol__playback="record")
    line.carry(SLOW)
    open_trial(page, study)
    expect(page.get_by_role("heading", name=HEADING)).to_be_focused()
    in_state(page, "line")
    expect(page.get_by_text(re.compile(r"You can listen to the first clip in about \d+ s\."))).to_be_visible()
    expect(page.get_by_text("you will hardly wait for them")).to_be_visible()
    assert look(page) == []
    # No key plays what isn't shown.
    page.keyboard.press("Space")
    expect(page.get_by_role("status").filter(has_text="The first clip is ready.")).to_be_visible()
    in_state(page, "line")
    page.get_by_role("button", name="Continue", exact=True).click()
    in_state(page, "ready")
    expect(page.locator(".play")).to_be_focused()
    [ranges] = line.ranges_of(TrialClip.objects.get(trial__position=1))
    assert ranges == [""]
    page.reload()
    in_state(page, "loading")
    page.get_by_text(re.compile("about .* left until you can listen")).wait_for()
    expect(page.get_by_role("heading", name=HEADING)).to_be_hidden()


def test_one_can_continue_at_once_and_leave_for_it(page: Page, line: Line) -> None:
    study = make_study(seconds=SECONDS, crowd__screened_out_code="OUT1")
    line.carry(SLOW)
    open_trial(page, study)
    in_state(page, "line")
    page.get_by_role("button", name="Continue", exact=True).click()
    in_state(page, "loading")
    expect(page.locator("#advice")).to_contain_text(HEADING)
    page.evaluate("sessionStorage.clear()")
    page.reload()
    in_state(page, "line")
    page.get_by_role("button", name="Leave study").click()
    page.wait_for_url("**/end/")
    expect(page.get_by_role("heading", name="You left before the first clip")).to_be_visible()
    expect(page.locator("#code")).to_have_text("OUT1")
    assert look(page) == []
    assert Session.objects.get().outcome == "screened_out"


def test_a_screen_of_clips_that_load_longer_than_they_play_says_how_long_it_will_all_take(
    page: Page, line: Line
) -> None:
    systems = ("alpha", "beta", "gamma", "delta")
    study = screens.make_study(now=timezone.now(), systems=systems, texts=6, seconds=(10.0,))
    line.carry(10_000)
    open_trial(page, study)
    in_state(page, "line")
    expect(page.get_by_text(re.compile(r"the study may take about \d+ min longer"))).to_be_visible()

"""The trial page in each of its states, to everybody: while a clip loads, plays, fails, and while an answer waits."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, Route

from studies.models import Study
from tests.browser.looking import look
from tests.browser.steps import fill, in_state, make_study, open_trial, play_button, save, sounds_until
from tests.browser.test_slow_lines import Line

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]


@pytest.fixture
def study() -> Study:
    # Long enough to be looked at while it plays.
    return make_study(seconds=40.0, protocol__playback="record")


def test_every_state_of_a_clip_is_open_to_everybody(page: Page, context: BrowserContext, study: Study) -> None:
    line = Line(page, context)
    line.carry(50_000)
    open_trial(page, study)
    in_state(page, "line")
    page.get_by_role("button", name="Continue", exact=True).click()
    in_state(page, "loading")
    page.get_by_text("left until you can listen").wait_for()
    wrong = look(page)
    line.carry(10_000_000)
    in_state(page, "ready")
    play_button(page).click()
    in_state(page, "playing")
    sounds_until(page, 0.01)
    wrong += look(page)
    in_state(page, "playing")
    play_button(page).click()
    in_state(page, "paused")
    wrong += look(page)
    assert wrong == []


def test_a_rater_who_left_for_a_slow_line_returns_by_the_button(
    page: Page, context: BrowserContext, study: Study
) -> None:
    line = Line(page, context)
    line.carry(50_000)
    open_trial(page, study)
    in_state(page, "line")
    page.get_by_role("button", name="Leave study").click()
    page.get_by_role("heading", name="You left before the first clip").wait_for()
    assert look(page) == []
    line.carry(10_000_000)
    page.get_by_role("button", name="Try again").click()
    in_state(page, "ready")


def test_a_clip_that_failed_and_its_report_are_open_to_everybody(page: Page, study: Study) -> None:
    page.route("**/audio/*", lambda route: route.abort())
    open_trial(page, study)
    in_state(page, "failed")
    wrong = look(page)
    page.get_by_role("button", name="Try now").click()
    page.get_by_role("button", name="Report the clip").wait_for()
    in_state(page, "failed")
    wrong += look(page)
    assert wrong == []


def test_an_answer_on_its_way_and_one_that_waits_are_open_to_everybody(page: Page, context: BrowserContext) -> None:
    answers: list[Route] = []
    page.route("**/api/answers/*", lambda route: answers.append(route))
    open_trial(page, make_study())
    in_state(page, "ready")
    play_button(page).click()
    in_state(page, "heard")
    fill(page)
    save(page)
    in_state(page, "saving")
    wrong = look(page)
    in_state(page, "saving")
    context.set_offline(True)
    answers.pop().abort()
    in_state(page, "offline")
    wrong += look(page)
    assert wrong == []

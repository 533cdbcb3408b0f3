"""On tall pages the player and Save stay in reach, and cover nothing that has the focus (WCAG 2.2, 2.4.11)."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from studies.models import Study
from tests import kinds, screens
from tests.browser.steps import in_state
from tests.passages import make_passages

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]

# What has the focus, if it is outside the window or under a bar.
COVERED = """
() => {
  const field = document.activeElement, {top, bottom} = field.getBoundingClientRect();
  const under = [...document.querySelectorAll(".savebar, [data-players], .mushra .top")].some((bar) => {
    const box = bar.getBoundingClientRect();
    return !bar.contains(field) && box.height > 0 && box.top < bottom && top < box.bottom;
  });
  return under || top < 0 || bottom > innerHeight ? field.outerHTML.slice(0, 150) : null;
}
"""
IN_REACH = """
selector => [...document.querySelectorAll(selector)].some((element) => {
  const {top, bottom} = element.getBoundingClientRect();
  return element.checkVisibility() && top >= 0 && bottom <= innerHeight;
})
"""


def make(kind: str, language: str) -> Study:
    settings: dict[str, Any] = {"now": timezone.now(), "texts__language": language}
    if kind == "sp_mcqa":
        return make_passages(passages=2, questions=6, protocol__golden_share=0.0, **settings)
    if kind == "mushra":
        return screens.make_study(systems=("alpha", "beta", "gamma", "delta", "epsilon"), texts=2, **settings)
    return kinds.make(kind, seconds=0.6, task__ask_reason=True, **settings)


def open_page(page: Page, kind: str, language: str = "en") -> None:
    study = make(kind, language)
    page.goto(f"/s/{study.slug}/?PROLIFIC_PID=p&STUDY_ID=ext&SESSION_ID=s")
    page.locator("#agreed").check()
    page.locator("button[value=agree]").click()
    page.locator("form .button").click()
    in_state(page, "ready")
    if kind == "hfr_granular":
        page.locator("input[value=machine]").check()
    page.evaluate("scrollTo(0, 0)")


PLACE = "[...document.querySelectorAll('#trial *')].indexOf(document.activeElement)"


def order(page: Page) -> list[int]:
    """Return where in the document Tab leads to, from the player to Save."""
    page.locator(".play").first.focus()
    reached = []
    for _step in range(60):
        assert page.evaluate(COVERED) is None
        reached.append(page.evaluate(PLACE))
        if page.evaluate("document.activeElement.id") == "save":
            return reached
        page.keyboard.press("Tab")
    raise AssertionError("Tab never came to Save.")


@pytest.mark.parametrize("language", ["en", "ar"])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("kind", ["hfr_granular", "mushra", "sp_mcqa"])
def test_player_and_save_stay_in_reach_and_cover_no_field(page: Page, kind: str, width: int, language: str) -> None:
    page.set_viewport_size({"width": width, "height": 844 if width == 390 else 720})
    open_page(page, kind, language)
    for share in (0, 0.5, 1):
        page.evaluate("share => scrollTo(0, share * document.documentElement.scrollHeight)", share)
        assert page.evaluate(IN_REACH, "#save")
        assert page.evaluate(IN_REACH, ".play")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.evaluate("scrollTo(0, 0)")
    forwards = order(page)
    # Whatever sticks where.
    assert forwards == sorted(forwards)
    for _step in forwards[1:]:
        page.keyboard.press("Shift+Tab")
        assert page.evaluate(COVERED) is None


def test_a_low_window_is_left_to_the_fields(page: Page) -> None:
    page.set_viewport_size({"width": 640, "height": 400})
    open_page(page, "hfr_granular")
    expect(page.locator(".savebar")).to_have_css("position", "static")
    expect(page.locator("[data-players]")).to_have_css("position", "static")


def test_a_problem_is_shown_beside_its_field_between_the_two(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_page(page, "mushra")
    for number in range(page.locator(".play").count()):
        page.locator(".play").nth(number).click()
        expect(page.locator(".player").nth(number)).to_have_attribute("data-state", "ended")
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    page.locator("#save").click()
    expect(page.locator(".row .rating").first).to_be_focused()
    assert page.evaluate(COVERED) is None

"""Sets of clips by real clicks and keys: the best and the worst, and a ranking by removal."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from raters.models import Answer, Rating
from studies.models import Study
from tests import kinds
from tests.browser.looking import look
from tests.browser.steps import begin, in_state, save

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]


def make_study(answer: str, **settings: Any) -> Study:
    return kinds.make("sets", now=timezone.now(), seconds=0.4, task__answer=answer, **settings)


def hear_all(page: Page) -> None:
    for letter in "ABC":
        group = page.get_by_role("group", name=f"Clip {letter}", exact=True)
        group.get_by_role("button").click()
        expect(group).to_have_attribute("data-state", "ended")
    in_state(page, "heard")


def codes() -> dict[str, str]:
    """Return the stored code of each letter of the last trial."""
    answer = Answer.objects.latest("pk")
    rows = Rating.objects.filter(trial=answer.trial).exclude(clip=None).order_by("place")
    return {"ABC"[row.place]: row.code for row in rows if row.place is not None}


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_the_best_and_the_worst_clip_are_chosen_once_all_were_heard(page: Page, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    begin(page, make_study("best_worst", task__ask_reason=True))
    expect(page.get_by_label("Best: Clip A")).to_be_disabled()
    hear_all(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.get_by_label("Best: Clip B").check()
    page.get_by_label("Worst: Clip B").check()
    expect(page.get_by_label("Best: Clip B")).not_to_be_checked()
    page.get_by_role("button", name="Save and continue").click()
    expect(page.get_by_text("Please choose the best and the worst clip.").last).to_be_visible()
    page.get_by_label("Best: Clip C").check()
    assert look(page) == []
    page.reload()
    expect(page.get_by_label("Best: Clip C")).to_be_checked()
    expect(page.get_by_label("Worst: Clip B")).to_be_checked()
    save(page)
    expect(page.locator("#where")).to_contain_text("Screen 2 of 2")
    assert codes() == {"A": "neither", "B": "worst", "C": "best"}


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_clips_are_ranked_by_removing_the_worst_and_a_removal_can_be_undone(
    page: Page, width: int, height: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    begin(page, make_study("ranking"))
    expect(page.get_by_role("button", name="Remove as worst: Clip A")).to_be_disabled()
    hear_all(page)
    page.get_by_role("button", name="Remove as worst: Clip A").click()
    expect(page.locator("[data-said]")).to_have_text("Clip A has rank 3.")
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Remove as worst: Clip B").click()
    page.get_by_role("button", name="Save and continue").click()
    expect(page.get_by_text("Please remove the worst clip until one is left.").last).to_be_visible()
    page.reload()
    expect(page.locator("[data-place]:visible")).to_have_count(1)
    page.get_by_role("button", name="Remove as worst: Clip A").click()
    expect(page.locator("[data-place]:visible")).to_have_text(["Rank 1", "Rank 2", "Rank 3"])
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert look(page) == []
    save(page)
    expect(page.locator("#where")).to_contain_text("Screen 2 of 2")
    assert codes() == {"A": "2", "B": "3", "C": "1"}


def test_a_ranking_is_made_with_the_keyboard(page: Page) -> None:
    begin(page, make_study("ranking"))
    in_state(page, "ready")
    for letter in "ABC":
        page.keyboard.press(letter)
        group = page.get_by_role("group", name=f"Clip {letter}", exact=True)
        expect(group).to_have_attribute("data-state", "ended")
    page.get_by_role("button", name="Remove as worst: Clip C").press("Enter")
    # The focus goes to the next clip that is left.
    page.keyboard.press("Enter")
    expect(page.locator("[data-place]:visible")).to_have_count(3)
    save(page)
    expect(page.locator("#where")).to_contain_text("Screen 2 of 2")
    assert codes() == {"A": "2", "B": "1", "C": "3"}

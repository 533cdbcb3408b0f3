"""A pair after a third recording, X, by real clicks."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from raters.experts.reviewing import REVIEW
from raters.models import Answer, Rating
from tests import kinds
from tests.analysis.rated import Rated
from tests.browser.looking import look
from tests.browser.steps import begin, in_state, save
from tests.raters.experts.people import expert

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_x_is_heard_with_both_clips_and_one_of_them_is_closer(page: Page, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    study = kinds.make("compare", now=timezone.now(), seconds=0.4, task__reference="text", task__answer="graded")
    begin(page, study)
    players = page.locator(".player .name")
    expect(players).to_have_text(["Clip X", "Clip A", "Clip B"])
    for letter in "XAB":
        group = page.get_by_role("group", name=f"Clip {letter}", exact=True)
        group.get_by_role("button").click()
        expect(group).to_have_attribute("data-state", "ended")
    in_state(page, "heard")
    page.get_by_label("A is closer").check()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert look(page) == []
    save(page)
    expect(page.locator("#where")).to_contain_text("Screen 2 of 2")
    rating = Rating.objects.get(trial=Answer.objects.get().trial)
    # In favour of the item's first clip if that was A.
    assert (rating.value, rating.place) in {(2.0, 1), (-2.0, 2)}


@pytest.mark.parametrize("width", [1280, 390])
def test_more_questions_are_answered_on_the_same_page_in_the_order_drawn(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    more = [{"name": name, "question": f"Which has the better {name}?"} for name in ("melody", "noise", "voice")]
    begin(page, kinds.make("compare", now=timezone.now(), seconds=0.4, task__answer="tie", task__more=more))
    for player in page.locator(".player").all():
        player.locator(".play").click()
        expect(player).to_have_attribute("data-state", "ended")
    in_state(page, "heard")
    page.keyboard.press("3")
    save(page)
    expect(page.locator("form[data-answer] .problem:visible")).to_have_count(3)
    assert not Answer.objects.exists()
    page.reload()
    in_state(page, "heard")
    shown = [each.get_attribute("data-question") for each in page.locator("[data-question]").all()]
    assert set(shown) == {"melody", "noise", "voice"}
    page.locator("[data-question=melody]").get_by_text("A", exact=True).check()
    page.locator("[data-question=noise]").get_by_text("No preference").check()
    page.locator("[data-question=voice]").get_by_text("B", exact=True).check()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert look(page) == []
    save(page)
    expect(page.locator("#where")).to_contain_text("2 of 2")
    answer = Answer.objects.get()
    assert answer.body["preference"] == 1
    assert answer.body["more"] == {"melody": -1, "noise": 0, "voice": 1}
    assert [row.part for row in answer.trial.ratings.order_by("pk")] == ["preference", *shown]


def test_two_clips_are_the_same_or_different(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    settings = {"task__answer": "same", "task__pairs": "baseline", "task__baseline": "alpha"}
    begin(page, kinds.make("compare", now=timezone.now(), seconds=0.4, **settings))
    for player in page.locator(".player").all():
        player.locator(".play").click()
        expect(player).to_have_attribute("data-state", "ended")
    in_state(page, "heard")
    page.get_by_label("Different").check()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert look(page) == []
    save(page)
    expect(page.locator("#where")).to_contain_text("2 of 2")
    assert Rating.objects.get().code == "different"


def test_an_expert_who_reads_a_reason_hears_the_clips_under_the_same_letters(page: Page) -> None:
    options = {"task__reference": "text", "task__ask_reason": True, "review__mode": "all"}
    study = Rated(timezone.now(), kind="compare", options=options).everybody(6).study
    Answer.objects.update(reason="The second one has a pause that is far too long")
    REVIEW.fill(study=study)
    expert("eva", study)
    page.goto(reverse("experts:review", args=[study.slug]))
    page.get_by_label("Username").fill("eva")
    page.get_by_label("Password").fill("pw")
    page.keyboard.press("Enter")
    expect(page.locator(".player .name")).to_have_text(["Clip X", "Clip A", "Clip B"])
    expect(page.locator("[data-part=labels]")).to_have_text(re.compile(r"Clip [AB]: (The other p|P)referred"))
    page.locator("#question").click()
    page.keyboard.press("x")
    expect(page.get_by_role("group", name="Clip X")).to_have_attribute("data-state", "playing")
    assert look(page) == []

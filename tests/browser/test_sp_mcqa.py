"""A passage and its questions by real clicks, by keys alone, and on a narrow screen."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Locator, Page, expect

from raters.models import Answer, Rating, Trial
from studies.models import Study
from tests.browser.looking import look
from tests.browser.steps import SECONDS, begin, in_state, listen, save
from tests.passages import COMMENT, make_passages, option

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]

MISSING = "Please choose one of the answers."
UNSAID = "Please write a few words on what you heard."
UNCHOSEN = "Please choose why you chose Other."


def passages(**settings: Any) -> Study:
    """Make two passages, one a set, each with three questions."""
    given: dict[str, Any] = {"protocol__golden_share": 0.0, "seconds": SECONDS, **settings}
    return make_passages(now=timezone.now(), passages=2, **given)


@pytest.fixture
def study(files: Any) -> Study:
    return passages()


def question(page: Page, number: int) -> Locator:
    return page.get_by_role("group", name=re.compile(rf"^{number}\. "))


def shown() -> dict[str, Any]:
    """Return what was drawn for the trial that is on the page."""
    private = Trial.objects.filter(answered_at=None).order_by("pk").values_list("shown__private", flat=True)[0]
    return dict(private)


def right(number: int) -> int:
    """Return at which place of a question its right option stands, counted from zero."""
    asked = shown()[f"q{number}"]
    return list(asked["options"]).index(option(asked, "correct"))


def test_a_rater_answers_a_passage_and_a_golden_question_by_clicks(page: Page, files: Any) -> None:
    begin(page, passages(protocol__golden_share=1.0))
    expect(page.get_by_role("heading", name="Choose what the audio states.")).to_be_visible()
    # Golden questions look like the others.
    expect(page.locator("fieldset[data-question]")).to_have_count(4)
    expect(page.get_by_role("radio")).to_have_count(16)
    expect(page.get_by_role("radio", name="Other: none of these")).to_have_count(4)
    listen(page)
    for number in (1, 2, 3, 4):
        question(page, number).get_by_role("radio").nth(right(number)).check()
    expect(page.get_by_role("textbox")).to_have_count(0)
    save(page)
    in_state(page, "breath")
    (answer,) = Answer.objects.all()
    assert (answer.body["comments"], answer.body["kinds"]) == ({}, {})
    assert set(answer.body["answers"]) == {"q1", "q2", "q3", "q4"}
    assert set(Rating.objects.values_list("value", flat=True)) == {1.0}
    assert Rating.objects.filter(part="question").count() == 3


def test_problems_stand_beside_each_question_and_other_needs_a_kind_and_a_comment(page: Page, study: Study) -> None:
    begin(page, study)
    listen(page)
    question(page, 2).get_by_role("radio").first.check()
    save(page)
    for number in (1, 3):
        expect(question(page, number)).to_have_accessible_description(re.compile(MISSING))
        expect(question(page, number).get_by_text(MISSING)).to_be_visible()
    expect(question(page, 2).get_by_text(MISSING)).to_be_hidden()
    expect(question(page, 1).get_by_role("radio").first).to_be_focused()
    assert not Answer.objects.exists()
    for number in (1, 3):
        question(page, number).get_by_role("radio").nth(right(number)).check()
    question(page, 3).get_by_role("radio", name="Other").check()
    comment = question(page, 3).get_by_role("textbox", name="What did you hear")
    comment.fill("   ")
    save(page)
    expect(question(page, 3).get_by_text(UNSAID)).to_be_visible()
    expect(question(page, 3).get_by_text(UNCHOSEN)).to_be_visible()
    kinds = page.get_by_role("group", name="Why Other?")
    expect(kinds).to_have_count(1)
    expect(kinds).to_have_accessible_description(re.compile(UNCHOSEN))
    kinds.get_by_role("radio", name="none of the answers").check()
    save(page)
    expect(question(page, 3).get_by_text(UNCHOSEN)).to_be_hidden()
    expect(comment).to_be_focused()
    expect(comment).to_have_accessible_description(re.compile(UNSAID))
    comment.fill(COMMENT)
    save(page)
    in_state(page, "breath")
    assert list(Answer.objects.values_list("body__comments", "body__kinds")) == [({"q3": COMMENT}, {"q3": "no_option"})]
    assert Rating.objects.get(part="comment_kind").code == "no_option"


def test_what_the_server_finds_stands_beside_its_question_too(page: Page, study: Study) -> None:
    begin(page, study)
    listen(page)
    for number in (1, 2, 3):
        question(page, number).get_by_role("radio").nth(right(number)).check()
    question(page, 2).get_by_role("radio").first.evaluate("radio => radio.value = 'z'")
    question(page, 2).get_by_role("radio").first.check()
    save(page)
    expect(question(page, 2).get_by_text(MISSING)).to_be_visible()
    expect(question(page, 2).get_by_role("radio").first).to_be_focused()
    assert not Answer.objects.exists()


def test_keys_alone_are_enough_for_a_passage(page: Page, study: Study) -> None:
    begin(page, study)
    page.keyboard.press("Space")
    in_state(page, "heard")
    # From the Play button a number answers the first question; then Tab goes on to the next.
    page.keyboard.press("4")
    expect(question(page, 1).get_by_role("radio").nth(3)).to_be_checked()
    expect(question(page, 1).get_by_role("radio").nth(3)).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.type(COMMENT + " 1 2")
    page.keyboard.press("Tab")
    page.keyboard.press("2")
    expect(question(page, 2).get_by_role("radio").nth(1)).to_be_checked()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    expect(question(page, 3).get_by_role("radio").nth(1)).to_be_checked()
    page.keyboard.press("Control+Enter")
    in_state(page, "breath")
    (answer,) = Answer.objects.all()
    assert answer.body == {
        "answers": {"q1": "other", "q2": "b", "q3": "b"},
        "comments": {"q1": COMMENT + " 1 2"},
        "kinds": {"q1": "unrecognised"},
    }


def test_a_reload_keeps_what_was_chosen_and_written(page: Page, study: Study) -> None:
    begin(page, study)
    question(page, 1).get_by_role("radio", name="Other").check()
    question(page, 1).get_by_role("textbox").fill(COMMENT)
    question(page, 1).get_by_role("radio", name="different things").check()
    question(page, 2).get_by_role("radio").nth(1).check()
    page.reload()
    in_state(page, "ready")
    expect(question(page, 1).get_by_role("radio", name="Other")).to_be_checked()
    expect(question(page, 1).get_by_role("textbox")).to_have_value(COMMENT)
    expect(question(page, 1).get_by_role("radio", name="different things")).to_be_checked()
    expect(question(page, 2).get_by_role("radio").nth(1)).to_be_checked()
    expect(question(page, 3).get_by_role("radio", checked=True)).to_have_count(0)


def test_a_study_may_ask_for_the_comment_alone(page: Page, files: Any) -> None:
    begin(page, passages(task__comment_kinds=False))
    question(page, 1).get_by_role("radio", name="Other").check()
    expect(question(page, 1).get_by_role("textbox")).to_be_visible()
    expect(page.get_by_role("group", name="Why Other?")).to_have_count(0)


def test_questions_may_wait_until_the_passage_was_heard(page: Page, files: Any) -> None:
    begin(page, passages(task__questions_visible="after", seconds=4.0))
    expect(page.get_by_role("radio")).to_have_count(0)
    expect(page.get_by_text("once you have heard the whole clip")).to_be_visible()
    page.keyboard.press("1")
    save(page, too_early=True)
    expect(page.get_by_role("radio")).to_have_count(0)
    listen(page)
    expect(page.get_by_role("radio")).to_have_count(12)
    expect(page.get_by_text("once you have heard the whole clip")).to_be_hidden()
    # A second play takes nothing away again.
    page.locator(".play").click()
    in_state(page, "playing")
    expect(page.get_by_role("radio")).to_have_count(12)


def test_the_next_passage_begins_at_the_top_of_the_page(page: Page, files: Any) -> None:
    page.set_viewport_size({"width": 390, "height": 600})
    begin(page, passages(protocol__tests_per_batch=2, protocol__batches_per_session=1))
    listen(page)
    for number in (1, 2, 3):
        question(page, number).get_by_role("radio").nth(right(number)).check()
    save(page)
    expect(page.locator("#where")).to_contain_text("Clip 2 of 2")
    expect(page.get_by_role("radio", checked=True)).to_have_count(0)
    assert page.evaluate("scrollY") == 0
    expect(page.locator(".play")).to_be_focused()


def test_a_passage_is_open_to_everybody_with_problems_and_with_a_comment(page: Page, study: Study) -> None:
    begin(page, study)
    assert look(page) == []
    question(page, 2).get_by_role("radio", name="Other").check()
    listen(page)
    save(page)
    expect(question(page, 1).get_by_text(MISSING)).to_be_visible()
    assert look(page) == []


@pytest.mark.parametrize("language", ["en", "ar"])
@pytest.mark.parametrize("width", [1280, 390])
def test_a_passage_fits_the_screen_and_the_player_stays_in_sight(
    browser: Browser, live_server: Any, files: Any, tmp_path: Path, width: int, language: str
) -> None:
    window = browser.new_context(base_url=str(live_server), viewport={"width": width, "height": 844})
    page = window.new_page()
    study = passages(questions=9, texts__language=language)
    begin(page, study)
    last = page.locator("fieldset[data-question]").last
    last.get_by_role("radio").last.check()
    last.get_by_role("textbox").scroll_into_view_if_needed()
    page.screenshot(path=tmp_path / "passage.png")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    play = page.locator(".play").bounding_box()
    assert play is not None
    assert 0 <= play["y"] < 200
    for box in page.locator(".option:visible").all():
        size = box.bounding_box()
        assert size is not None
        assert size["height"] >= 44
    window.close()

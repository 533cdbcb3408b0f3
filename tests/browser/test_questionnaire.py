"""From the last answer through the questions to the code."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from raters.models import Response, Session
from tests.browser.steps import begin, make_study, rate

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]
ASKED: dict[str, Any] = {
    "questionnaire__gender": True,
    "questionnaire__age": True,
    "questionnaire__languages": True,
    "questionnaire__device": True,
    "questionnaire__questions": ["Do you play an instrument? | Yes | No", "Anything else?"],
    "protocol__batches_per_session": 1,
}


def test_the_questions_stand_between_the_last_answer_and_the_code(page: Page) -> None:
    address = begin(page, make_study(**ASKED))
    for _clip in range(3):
        rate(page)
    page.wait_for_url("**/questions/")
    assert Session.objects.get().outcome == "complete"
    assert "DONE1" not in page.content()
    # Closed and opened again by the platform's link: the same page, and nothing lost.
    page.goto(address)
    page.wait_for_url("**/questions/")
    page.get_by_role("group", name="What is your gender?").get_by_label("I describe it myself").focus()
    page.keyboard.press("Space")
    page.get_by_label("In your own words").fill("agender")
    page.get_by_label("First language").select_option(label="Welsh")
    # As long as no browser would send it.
    page.get_by_label("Anything else?").evaluate("field => { field.removeAttribute('maxlength'); }")
    page.get_by_label("Anything else?").fill("o" * 2001)
    page.get_by_role("button", name="Save and finish").press("Enter")
    wrong = page.get_by_label("Anything else?")
    expect(wrong).to_be_focused()
    expect(wrong).to_have_accessible_description(re.compile("This is too long: write at most 2000"))
    expect(page.get_by_label("In your own words")).to_have_value("agender")
    wrong.fill("No")
    page.get_by_role("button", name="Save and finish").click()
    page.wait_for_url("**/end/")
    expect(page.locator("#code")).to_have_text("DONE1")
    page.goto(page.url.replace("/end/", "/questions/"))
    page.wait_for_url("**/end/")
    rows = Response.objects.exclude(code="skipped").order_by("pk").values_list("key", "code", "words")
    assert list(rows) == [("gender", "self_described", "agender"), ("languages", "cy", ""), ("own_2", "", "No")]

"""What counts as a reason in the page, and that it is what the server counts."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from raters.models import Answer
from tests.browser.steps import REASON, begin, in_state, is_at, listen, make_study, save
from tests.reasons import CASES

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]
COUNT = """
async (texts) => {
  const { written, isCjk } = await import(document.querySelector("#trial").dataset.module);
  return texts.map((text) => [written(text), isCjk(text)]);
}
"""


def test_the_page_counts_like_the_server(page: Page, files: Any) -> None:
    begin(page, make_study())
    counted = page.evaluate(COUNT, [case.text for case in CASES])
    assert counted == [[case.count, case.is_cjk] for case in CASES]


def test_without_a_segmenter_the_page_counts_letters(page: Page, files: Any) -> None:
    page.add_init_script("delete Intl.Segmenter")
    begin(page, make_study())
    assert page.evaluate(COUNT, ["\u200b" * 50, "Too short 👍"]) == [[0, False], [8, False]]


def test_half_an_emoji_is_saved_as_a_mark_in_its_place(page: Page, files: Any) -> None:
    begin(page, make_study())
    listen(page)
    page.get_by_role("radio", name="Human").check()
    page.get_by_label("What in the audio").evaluate(
        "(field, text) => { field.value = text + ' \\ud83d'; }",
        REASON,
    )
    save(page)
    is_at(page, 2)
    assert Answer.objects.get().reason == f"{REASON} \ufffd"


def test_a_reason_that_is_too_long_is_refused_beside_its_field(page: Page, files: Any) -> None:
    begin(page, make_study())
    listen(page)
    page.get_by_role("radio", name="Human").check()
    reason = page.get_by_label("What in the audio")
    reason.evaluate("field => field.removeAttribute('maxlength')")
    reason.fill("x" * 5000)
    save(page)
    expect(page.locator("#reason-problem")).to_have_text("Please write at most 4000 characters.")
    reason.fill(REASON)
    save(page)
    is_at(page, 2)
    in_state(page, "ready")

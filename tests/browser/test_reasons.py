"""What counts as a reason in the page, and that it is what the server counts."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.steps import begin, make_study
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

"""A session in a language that was chosen on the way: by keyboard alone, in both directions (acceptance test 15)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.conf import settings
from django.urls import reverse
from playwright.sync_api import Page, expect

from raters.models import Session
from studies.models import Study
from tests.browser.looking import look
from tests.browser.steps import in_state, link, make_study
from tests.researchers import logged_in, researcher

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]
ARABIC = {
    "title": "أصوات",
    "information": "ستسمع مقاطع قصيرة.",
    "consent": "أوافق على المشاركة.",
    "instructions": "استمع إلى كل مقطع حتى نهايته.",
    "debrief": "شكرا.",
    "prompts": {"question": "من المتكلم؟", "reason_question": "لماذا؟"},
    "questions": {
        "screening.questions": ["هل تؤثر الإجابات على أجرك؟ | نعم | *لا"],
        "questionnaire.questions": ["هل تغني؟ | كثيرا | أبدا"],
    },
}
ASKED: dict[str, Any] = {
    "screening__comprehension": "screen_out",
    "screening__questions": ["Do your answers decide about your pay? | Yes | *No"],
    "questionnaire__age": True,
    "questionnaire__questions": ["Do you sing? | Often | Never"],
}
# Where things stand: at the beginning of a line, at its end, and what runs by the clock.
SIDES = """
() => {
  const at = (selector) => document.querySelector(selector).getBoundingClientRect();
  const [title, leave, play, volume] = [".study", ".leave", ".play", ".volume"].map(at);
  return { titleBeforeLeave: title.left < leave.left, playBeforeVolume: play.left < volume.left };
}
"""
# Sentences in Latin letters that don't stand in an English part of the page, from left to right.
UNMARKED = """
() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const wrong = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const own = node.parentElement;
    if (own.closest("script, style, kbd, code, [lang=zh-hans]") || !/[A-Za-z]{2,}/.test(node.data)) continue;
    const isEnglish = own.closest("[lang]").lang === "en" && getComputedStyle(own).direction === "ltr";
    if (!isEnglish) wrong.push(node.data.trim());
  }
  return wrong;
}
"""
COMPOSED = """
key => document.dispatchEvent(new KeyboardEvent("keydown", { key, isComposing: true, bubbles: true, cancelable: true }))
"""


REASON = "最后一个字拖得太长了"


def study() -> Study:
    settings: dict[str, Any] = {"translations__ar": ARABIC, "translations__zh-hans": {"consent": "我同意参加。"}}
    return make_study(**settings, protocol__batches_per_session=1, **ASKED)


def tab_to(page: Page, selector: str) -> None:
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"{selector} can't be reached by Tab")


def choose(page: Page, name: str, answer: str) -> None:
    tab_to(page, f"input[name={name}]")
    page.keyboard.press("Space")
    for _ in range(3):
        if page.locator(f"label:has(input[name={name}]:checked)").inner_text().strip() == answer:
            return
        page.keyboard.press("ArrowDown")
    raise AssertionError(f"{answer} can't be chosen by the arrow keys")


def test_a_session_in_a_language_chosen_by_keyboard(page: Page) -> None:
    page.goto(f"{link(study())}&lang=zh-hans")
    expect(page.get_by_role("heading", level=1)).to_have_text("开始之前")
    assert look(page) == []
    tab_to(page, "button[value=ar]")
    page.keyboard.press("Enter")
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    expect(page.locator("button[value=ar]")).to_have_attribute("aria-current", "true")
    assert look(page) == []
    tab_to(page, "#agreed")
    page.keyboard.press("Space")
    tab_to(page, "button[value=agree]")
    page.keyboard.press("Enter")
    page.wait_for_url("**/instructions/")
    tab_to(page, "form .button")
    page.keyboard.press("Enter")
    page.wait_for_url("**/check/")
    expect(page.locator("legend")).to_have_attribute("lang", "ar")
    assert look(page) == []
    choose(page, "question0", "لا")
    tab_to(page, "form .button")
    page.keyboard.press("Enter")
    in_state(page, "ready")
    assert page.evaluate(UNMARKED) == []
    assert page.evaluate(SIDES) == {"titleBeforeLeave": False, "playBeforeVolume": True}
    # The play button has the focus already.
    page.keyboard.press("Enter")
    in_state(page, "heard")
    human, unclear = page.locator("input[value=human]"), page.locator("input[value=unclear]")
    assert page.evaluate(UNMARKED) == []
    tab_to(page, "#shortcuts")
    page.keyboard.press("Space")
    page.keyboard.press("2")
    expect(unclear).not_to_be_checked()
    page.keyboard.press("Space")
    page.keyboard.press("2")
    expect(unclear).to_be_checked()
    # What is typed into an input method is no key of ours, wherever the focus is.
    page.evaluate(COMPOSED, "1")
    expect(human).not_to_be_checked()
    page.evaluate("document.activeElement.blur()")
    page.evaluate(COMPOSED, " ")
    in_state(page, "heard")
    tab_to(page, "#reason")
    page.keyboard.insert_text(REASON)
    page.evaluate(COMPOSED, "Enter")
    tab_to(page, "#save")
    page.keyboard.press("Enter")
    for position in (2, 3):
        expect(page.locator("#where")).to_contain_text(f"Clip {position}")
        in_state(page, "ready")
        page.keyboard.press("Enter")
        in_state(page, "heard")
        tab_to(page, "input[type=radio]")
        page.keyboard.press("3")
        tab_to(page, "#reason")
        page.keyboard.insert_text(REASON)
        page.keyboard.press("Control+Enter")
    page.wait_for_url("**/questions/")
    assert look(page) == []
    tab_to(page, "input[type=radio]")
    page.keyboard.press("Space")
    choose(page, "own_1", "أبدا")
    tab_to(page, "form .button")
    page.keyboard.press("Enter")
    page.wait_for_url("**/end/")
    expect(page.locator(".debrief")).to_contain_text("شكرا")
    assert page.evaluate(UNMARKED) == []
    tab_to(page, "[data-copy]")
    session = Session.objects.get()
    assert (session.language, session.outcome) == ("ar", "complete")
    assert session.responses.get(key="own_1").code == "2"


def test_a_researcher_writes_texts_in_another_language(page: Page, live_server: object) -> None:
    owner = researcher("rosa")
    signed_in = logged_in(owner).cookies[settings.SESSION_COOKIE_NAME]
    page.context.add_cookies([{"name": signed_in.key, "value": signed_in.value, "url": str(live_server)}])
    draft = make_study(launch=False, **ASKED)
    Study.objects.filter(pk=draft.pk).update(owner=owner)
    page.goto(reverse("studies:languages", args=[draft.slug]))
    page.get_by_label("Language", exact=True).select_option("zh-hans")
    page.get_by_role("button", name="Add language").click()
    # What is still the preset's is there in Chinese.
    expect(page.get_by_label("Instructions", exact=True)).to_have_value(re.compile("请从头到尾听完每段音频"))
    page.get_by_label("Consent", exact=True).fill("我同意参加。")
    page.get_by_label("Reason question", exact=True).fill("为什么？")
    page.get_by_label("Questions on the instructions", exact=True).fill("您的答案影响报酬吗？ | *是 | 否")
    page.get_by_role("button", name="Save texts").click()
    expect(page.locator(".errorlist")).to_contain_text("Line 1 has its star before answer 1")
    page.get_by_label("Questions on the instructions", exact=True).fill("您的答案影响报酬吗？ | 是 | *否")
    page.get_by_role("button", name="Save texts").click()
    expect(page.get_by_label("Consent", exact=True)).to_have_value("我同意参加。")
    assert look(page) == []
    found = Study.objects.get(pk=draft.pk).definition.translations["zh-hans"]
    assert found.consent == "我同意参加。"
    assert found.prompts == {"question": "是谁在说话？", "reason_question": "为什么？"}
    assert found.questions == {"screening.questions": ("您的答案影响报酬吗？ | 是 | *否",)}

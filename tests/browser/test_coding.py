"""Experts who code reasons: by keys, by pointer, in several scripts."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from accounts.models import User
from raters.models import Coding, CodingMark, Trial
from studies.models import Study
from tests import passages
from tests.browser.looking import look
from tests.raters.experts.coding import change, coded_study, write
from tests.raters.experts.people import expert
from tests.raters.experts.reviewing import fill_queues

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]
ENGLISH = "The pause before “then” is too long, but I hear a breath."
CHINESE = "“银行”的“行”读错了,而且停顿👩‍👩‍👧太长。"
ARABIC = "التوقف قبل الكلمة الأخيرة طويل جدا، والنبرة معدنية."


def sign_in(page: Page, name: str, study: Study) -> None:
    page.goto(reverse("experts:coding", args=[study.slug]))
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill("pw")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Sign out").or_(page.locator(".ws-account"))).to_be_visible()


def state(page: Page, name: str) -> None:
    expect(page.locator("#coding")).to_have_attribute("data-state", name)


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def marks() -> list[tuple[Any, ...]]:
    """Return what was found, with the words that carry it."""
    rows = CodingMark.objects.filter(coding__revoked_at=None).order_by("pk").select_related("coding__item__answer")
    return [
        (
            mark.code,
            mark.polarity,
            None if mark.start is None else mark.coding.item.answer.reason[mark.start : mark.stop],
        )
        for mark in rows
    ]


@pytest.fixture
def study() -> Study:
    study = coded_study(timezone.now())
    write(study, ENGLISH)
    return study


def begin(page: Page, study: Study) -> None:
    expert("eva", study)
    sign_in(page, "eva", study)
    state(page, "item")


def test_an_expert_codes_words_and_wholes_by_keys_alone(page: Page, study: Study) -> None:
    begin(page, study)
    expect(page.locator("#progress")).to_contain_text("0 of 7 decided")
    press(page, "2", "1")
    expect(page.locator("#status")).to_contain_text("Choose first whether it is a human or a machine cue")
    press(page, "w", "ArrowRight", "ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight")
    expect(page.locator("#status")).to_contain_text("Words chosen: “pause before “then”. Now choose the code.")
    expect(page.get_by_role("option", selected=True)).to_have_count(3)
    press(page, "m", "2")
    expect(page.locator("#status")).to_contain_text("Prosodic appropriateness: which code?")
    press(page, "1")
    expect(page.get_by_role("list", name="Selected codes")).to_contain_text(
        "Pauses (machine cue) pause before “then Remove"
    )
    expect(page.locator(".words mark").first).to_contain_text("pause")
    press(page, "Escape", "h", "4", "4", "2", "3", "Backspace")
    expect(page.locator("#status")).to_contain_text("Removed: Speed (human cue)")
    press(page, "Enter")
    expect(page.locator("#status")).to_contain_text("Saved: codes: 2")
    assert marks() == [("pauses", "machine", "pause before “then"), ("paralinguistics", "human", None)]
    press(page, "Enter")
    expect(page.locator("#status")).to_contain_text("Select a code first")
    press(page, "0")
    expect(page.locator("#status")).to_contain_text("Saved: no code fits")
    expect(page.locator("#progress")).to_contain_text("2 of 7 decided · 2 by you today")
    press(page, "u")
    expect(page.locator("#status")).to_contain_text("Decision undone")
    press(page, "u")
    # What was found before is there again, to be changed.
    expect(page.get_by_role("list", name="Selected codes").get_by_role("listitem")).to_have_count(2)
    press(page, "Backspace", "Enter")
    expect(page.locator("#status")).to_contain_text("Saved: codes: 1")
    assert marks() == [("pauses", "machine", "pause before “then")]
    press(page, "s")
    expect(page.locator("#status")).to_contain_text("Skipped")
    for _ in range(6):
        page.wait_for_function("() => document.querySelector('#coding').dataset.state === 'item'")
        press(page, "0")
    fill_queues()
    expect(page.get_by_text("Texts that you have coded: 7")).to_be_visible()


def test_words_are_chosen_with_the_pointer_too(page: Page, study: Study) -> None:
    begin(page, study)
    options = page.get_by_role("option")
    options.filter(has_text="hear").click()
    options.filter(has_text="breath").click(modifiers=["Shift"])
    expect(page.locator("#status")).to_contain_text("Words chosen: “hear a breath”")
    page.get_by_role("button", name="Human cue").click()
    page.get_by_role("button", name="Breath, laughter").click()
    options.first.scroll_into_view_if_needed()
    first, last = options.filter(has_text="pause").bounding_box(), options.filter(has_text="long").bounding_box()
    assert first
    assert last
    page.mouse.move(first["x"] + 5, first["y"] + 5)
    page.mouse.down()
    page.mouse.move(last["x"] + 5, last["y"] + 5, steps=8)
    page.mouse.up()
    page.get_by_role("button", name="Machine cue").click()
    page.get_by_role("button", name="Pauses").click()
    page.get_by_role("button", name="Remove Breath, laughter and the like (human cue)").click()
    page.get_by_role("button", name="Save and continue").click()
    expect(page.locator("#status")).to_contain_text("Saved: codes: 1")
    assert marks() == [("pauses", "machine", "pause before “then” is too long")]


def test_chinese_is_marked_character_by_character_and_no_emoji_is_cut(page: Page, study: Study) -> None:
    write(study, CHINESE)
    begin(page, study)
    expect(page.get_by_role("option")).to_have_count(14)
    press(page, "m", "w", *["ArrowRight"] * 6, "1", "1")
    press(page, "w", *["ArrowRight"] * 6, *["Shift+ArrowRight"] * 2, "2", "1", "Enter")
    expect(page.locator("#status")).to_contain_text("Saved: codes: 2")
    assert [mark[2] for mark in marks()] == ["读", "停顿👩‍👩‍👧太"]


def test_arabic_runs_from_right_to_left(page: Page, study: Study) -> None:
    write(study, ARABIC)
    begin(page, study)
    press(page, "m", "w", "ArrowLeft", "Shift+ArrowLeft", "2", "1", "Enter")
    expect(page.locator("#status")).to_contain_text("Saved: codes: 1")
    assert marks() == [("pauses", "machine", "التوقف قبل")]


def test_comments_on_questions_have_codes_of_their_own(page: Page) -> None:
    study = passages.make_passages(now=timezone.now(), coding__mode="all", coding__double_share=0.0)
    passages.listen(study, timezone.now(), "other", "correct", "other")
    begin(page, study)
    expect(page.locator("#question")).to_have_text("Why did the rater choose Other?")
    expect(page.locator("[data-part=asked]")).to_contain_text("How many were there")
    expect(page.get_by_role("button", name="Human cue")).to_be_hidden()
    press(page, "2", "Enter")
    expect(page.locator("#status")).to_contain_text("Saved: codes: 1")
    press(page, "4", "Enter")
    fill_queues()
    expect(page.get_by_text("Texts that you have coded: 2")).to_be_visible()
    assert list(CodingMark.objects.order_by("pk").values_list("code", "polarity")) == [
        ("proper_noun", ""),
        ("number", ""),
    ]


def test_an_answer_withdrawn_meanwhile_is_told_and_the_queue_goes_on(page: Page, study: Study) -> None:
    begin(page, study)
    key = page.evaluate("JSON.parse(document.querySelector('#state').textContent).items[0].key")
    Trial.objects.filter(answer__coding_items__key=key).update(usable=False)
    press(page, "0")
    expect(page.locator("#status")).to_contain_text("has been withdrawn")
    state(page, "item")
    press(page, "0")
    expect(page.locator("#status")).to_contain_text("Saved: no code fits")
    assert Coding.objects.count() == 1


def test_two_experts_code_a_share_twice_and_the_owner_reads_what_they_found(
    browser: Browser, live_server: Any, study: Study
) -> None:
    change(study, double_share=1.0, codes=["room | No room | Audio clarity | too clean for a real room | machine"])
    study.owner = User.objects.create_superuser("root", password="pw")
    study.save()
    for name, second in (("eva", ["3", "3"]), ("otto", [])):
        expert(name, study)
        window = browser.new_context(base_url=str(live_server))
        page = window.new_page()
        sign_in(page, name, study)
        for number in range(7):
            page.wait_for_function("() => document.querySelector('#coding').dataset.state === 'item'")
            press(page, "m", "2", "1", *(second if number < 3 else []), "Enter")
        state(page, "finished")
        page.wait_for_load_state("networkidle")
        window.close()
    window = browser.new_context(base_url=str(live_server))
    page = window.new_page()
    sign_in(page, "root", study)
    page.get_by_role("link", name="Overview for the study’s owner").click()
    row = page.get_by_role("region", name="Agreement").get_by_role("row")
    expect(row.filter(has_text="Pauses")).to_have_text(re.compile(r"Pauses\s*7\s*7\s*100 %\s*—"))
    expect(row.filter(has_text="No room")).to_have_text(re.compile(r"No room\s*3\s*7\s*57 %\s*0.00"))
    expect(
        page.get_by_role("region", name="Codes").get_by_role("row").filter(has_text="No room").get_by_role("cell").first
    ).to_have_text("43 % 3")
    page.get_by_role("link", name="dimension").click()
    expect(page.get_by_role("link", name="dimension")).to_have_attribute("aria-current", "true")
    window.close()


def test_the_pages_of_the_coding_are_open_to_everybody(page: Page, study: Study) -> None:
    study.owner = User.objects.create_superuser("root", password="pw")
    study.save()
    write(study, ENGLISH, CHINESE, ARABIC)
    sign_in(page, "root", study)
    state(page, "item")
    wrong = look(page)
    press(page, "m", "w", "ArrowRight", "Shift+ArrowRight", "2", "1", "w", "ArrowRight")
    wrong += look(page)
    for name in ("finished", "stopped", "loading"):
        page.evaluate(
            "name => document.querySelectorAll('[data-panel]').forEach(p => { p.hidden = p.dataset.panel !== name })",
            name,
        )
        wrong += look(page)
    page.reload()
    state(page, "item")
    press(page, "m", "w", "ArrowRight", "Shift+ArrowRight", "2", "1", "Enter")
    expect(page.locator("#status")).to_contain_text("Saved")
    page.goto(reverse("experts:coding_overview", args=[study.slug]))
    wrong += look(page)
    change(study, mode="off")
    page.goto(reverse("experts:coding", args=[study.slug]))
    wrong += look(page)
    assert wrong == []

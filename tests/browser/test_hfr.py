"""Human or Machine by real clicks and keys, with the markers that Machine opens."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.utils import timezone
from playwright.sync_api import Locator, Page, ViewportSize, expect

from raters.models import Answer, Rating, Trial
from studies.models import Study
from tests import kinds
from tests.browser.steps import begin, in_state, link, listen, play_button, save, sounds_until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]

PHONE: ViewportSize = {"width": 390, "height": 844}


def make(kind: str = "hfr_granular", **settings: Any) -> Study:
    return kinds.make(kind, now=timezone.now(), **{"seconds": 0.6, **settings})


def label(page: Page, name: str) -> Locator:
    return page.get_by_role("radio", name=name)


def markers(page: Page) -> Locator:
    return page.get_by_role("checkbox").and_(page.locator("[name=markers]"))


def box(page: Page, name: str) -> Locator:
    return page.get_by_role("checkbox", name=name)


def at(page: Page, position: int) -> None:
    expect(page.locator("#where")).to_contain_text(f"Clip {position} of 2")


def no_barriers(page: Page) -> None:
    found = Axe().run(page).response["violations"]
    assert [(rule["id"], [node["target"] for node in rule["nodes"]]) for rule in found] == []


def test_a_label_is_all_that_the_plain_form_asks_for(page: Page) -> None:
    begin(page, make("hfr"))
    listen(page)
    save(page)
    expect(page.locator("#label-problem")).to_have_text("Please choose one of the two.")
    no_barriers(page)
    label(page, "Machine").check()
    save(page)
    at(page, 2)
    assert Answer.objects.get().body == {"label": "machine", "reason": ""}


@pytest.mark.parametrize(("is_set", "sliders"), [(True, 0), (False, 1)])
def test_a_volume_that_was_set_in_the_check_is_not_offered_for_change(page: Page, is_set: bool, sliders: int) -> None:
    study = make("hfr", screening__volume=is_set)
    page.goto(link(study))
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="I agree").click()
    if is_set:
        page.get_by_role("button", name="My volume is set").click()
    page.get_by_role("button", name="Start").click()
    in_state(page, "ready")
    expect(page.get_by_role("slider", name="Volume")).to_have_count(sliders)


def test_a_counterbalanced_order_is_what_the_page_shows_and_the_keys_follow_it(page: Page) -> None:
    study = make("hfr", task__option_order="counterbalanced", task__ask_reason=True)
    begin(page, study)
    shown = page.locator("[data-options] label")
    stored = Trial.objects.order_by("position")[0].shown["public"]["options"]
    expect(shown).to_have_text([f"{value.capitalize()} {number}" for number, value in enumerate(stored, start=1)])
    listen(page)
    page.keyboard.press("2")
    page.get_by_label("What in the audio").fill("A click")
    save(page)
    at(page, 2)
    assert Answer.objects.get().body == {"label": stored[1], "reason": "A click"}


def test_machine_opens_the_markers_and_human_closes_and_keeps_them(page: Page) -> None:
    page.set_viewport_size(PHONE)
    begin(page, make())
    listen(page)
    expect(markers(page)).to_have_count(0)
    label(page, "Machine").check()
    expect(markers(page)).to_have_count(9)
    box(page, "Flat or monotonous").check()
    label(page, "Human").check()
    expect(markers(page)).to_have_count(0)
    label(page, "Machine").check()
    expect(box(page, "Flat or monotonous")).to_be_checked()
    box(page, "Unnatural pitch").check()
    label(page, "Human").check()
    save(page)
    at(page, 2)
    assert Answer.objects.get().body == {"label": "human", "reason": "", "markers": [], "moments": {}}
    listen(page)
    label(page, "Machine").check()
    expect(page.locator("[name=markers]:checked")).to_have_count(0)


def test_markers_and_moments_are_still_there_after_a_change_of_mind_and_back(page: Page) -> None:
    begin(page, make(seconds=1.5, task__moments=True))
    play_button(page).click()
    in_state(page, "playing")
    sounds_until(page, 0.2)
    page.keyboard.press("t")
    in_state(page, "heard")
    label(page, "Machine").check()
    box(page, "Flat or monotonous").check()
    moment = page.get_by_label("Flat or monotonous, when:").input_value()
    assert float(moment) > 0
    label(page, "Human").check()
    label(page, "Machine").check()
    expect(page.get_by_label("Flat or monotonous, when:")).to_have_value(moment)
    label(page, "Human").check()
    save(page)
    at(page, 2)
    assert Answer.objects.get().body == {"label": "human", "reason": "", "markers": [], "moments": {}}


def test_machine_without_a_marker_is_told_so_beside_the_markers(page: Page) -> None:
    page.set_viewport_size(PHONE)
    begin(page, make())
    listen(page)
    label(page, "Machine").check()
    save(page)
    expect(page.locator("#markers-problem")).to_have_text("Please choose at least one.")
    expect(box(page, "Digital voice quality")).to_be_focused()
    no_barriers(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert not Answer.objects.exists()
    box(page, "Mispronounced words").check()
    save(page)
    at(page, 2)
    assert list(Rating.objects.order_by("pk").values_list("code", flat=True)) == ["machine", "mispronunciations"]


def test_the_markers_may_stay_empty_where_the_study_says_so(page: Page) -> None:
    begin(page, make(task__markers_required=False))
    listen(page)
    label(page, "Machine").check()
    save(page)
    at(page, 2)


def test_keys_alone_mark_a_machine(page: Page) -> None:
    begin(page, make())
    page.keyboard.press("c")
    page.keyboard.press("Space")
    in_state(page, "heard")
    page.keyboard.press("2")
    page.keyboard.press("c")
    page.keyboard.press("a")
    page.keyboard.press("i")
    page.keyboard.press("a")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page.locator("[name=markers]:checked")).to_have_count(3)
    page.keyboard.press("Control+Enter")
    at(page, 2)
    chosen = ["unnatural_pitch", "flat", "no_human_quirks"]
    assert list(Rating.objects.filter(part="marker").order_by("pk").values_list("code", flat=True)) == chosen


def test_a_moment_tapped_while_listening_goes_to_the_marker_chosen_next(page: Page) -> None:
    begin(page, make(seconds=2.0, task__moments=True))
    tapped = page.locator("[data-tapped]")
    page.get_by_role("button", name="Here!").click()
    expect(tapped).to_contain_text("Nothing is playing")
    play_button(page).click()
    in_state(page, "playing")
    sounds_until(page, 0.2)
    page.keyboard.press("t")
    expect(tapped).to_contain_text("Tapped at")
    in_state(page, "heard")
    label(page, "Machine").check()
    no_barriers(page)
    box(page, "Flat or monotonous").check()
    box(page, "Unnatural pitch").check()
    expect(page.get_by_label("Flat or monotonous, when:")).not_to_have_value("")
    expect(page.get_by_label("Unnatural pitch, when:")).to_have_value("")
    expect(page.get_by_role("combobox")).to_have_count(2)
    page.reload()
    in_state(page, "heard")
    expect(box(page, "Flat or monotonous")).to_be_checked()
    play_button(page).click()
    in_state(page, "playing")
    sounds_until(page, 0.4)
    page.get_by_role("button", name="Here!").click()
    expect(tapped).to_contain_text(",")
    in_state(page, "heard")
    when = page.get_by_label("Unnatural pitch, when:")
    when.select_option(index=2)
    save(page)
    at(page, 2)
    moments = Answer.objects.get().body["moments"]
    assert 0 < moments["flat"] < moments["unnatural_pitch"] < 2

"""Screens of several clips by real clicks and keys, and what comes out of the loudspeaker."""

from __future__ import annotations

import re
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.utils import timezone
from playwright.sync_api import Locator, Page, Route, expect

from raters.models import Answer, Rating, TrialClip
from studies.models import Study
from tests import kinds, screens
from tests.browser.looking import look
from tests.browser.steps import begin, in_state, open_trial, save

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]
SECONDS = 0.6


def make_study(**settings: Any) -> Study:
    return screens.make_study(**{"now": timezone.now(), "seconds": (SECONDS,), "texts": 2, **settings})


def play(page: Page, name: str) -> Locator:
    return page.get_by_role("group", name=name, exact=True).get_by_role("button")


def slider(page: Page, letter: str) -> Locator:
    return page.get_by_role("slider", name=f"Clip {letter}", exact=True)


def hear(page: Page, name: str) -> None:
    play(page, name).click()
    heard(page, name)


def heard(page: Page, name: str) -> None:
    expect(page.get_by_role("group", name=name, exact=True)).to_have_attribute("data-state", "ended")


def hear_all(page: Page, letters: str = "ABC") -> None:
    for name in ("Reference", *(f"Clip {letter}" for letter in letters)):
        hear(page, name)
    in_state(page, "heard")


def click_at(page: Page, letter: str, share: float) -> None:
    """Click the slider's track at this share of its length."""
    box = slider(page, letter).bounding_box()
    assert box is not None
    slider(page, letter).click(position={"x": box["width"] * share, "y": box["height"] / 2})


def value(page: Page, letter: str) -> Locator:
    return page.locator(".row", has=slider(page, letter)).locator(".value")


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_screens_are_rated_by_clicks(page: Page, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    study = make_study()
    begin(page, study)
    expect(page.locator("#where")).to_contain_text("Screen 1 of 2")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for letter in "ABC":
        expect(value(page, letter)).to_have_text("listen first")
        expect(slider(page, letter)).to_have_attribute("aria-disabled", "true")
    hear(page, "Reference")
    hear(page, "Clip B")
    expect(page.locator("#advice")).to_contain_text("2 of 4 heard")
    expect(slider(page, "B")).to_have_attribute("aria-valuetext", "not rated yet")
    expect(slider(page, "A")).to_have_attribute("aria-valuetext", "listen first")
    hear(page, "Clip A")
    hear(page, "Clip C")
    in_state(page, "heard")
    click_at(page, "A", 0.5)
    expect(value(page, "A")).to_have_text("50 · Fair")
    save(page)
    expect(page.get_by_text("Please move this slider.")).to_have_count(2)
    expect(slider(page, "B")).to_be_focused()
    click_at(page, "B", 0.99)
    expect(value(page, "B")).to_have_text("100 · Excellent")
    click_at(page, "C", 0.01)
    expect(value(page, "C")).to_have_text("0 · Bad")
    expect(slider(page, "C")).to_have_attribute("aria-valuetext", "0 · Bad")
    save(page)
    expect(page.locator("#where")).to_contain_text("Screen 2 of 2")
    expect(page.get_by_role("status")).to_have_text("✓ Screen 1 is saved.")
    in_state(page, "ready")
    for letter in "ABC":
        expect(value(page, letter)).to_have_text("listen first")
    answer = Answer.objects.get()
    keys = [clip.key for clip in answer.trial.clips.order_by("place")]
    assert answer.body == {"ratings": dict(zip(keys[1:], [50, 100, 0], strict=True))}
    assert {key: clip["plays"] for key, clip in answer.evidence["clips"].items()} == dict.fromkeys(keys, 1)
    for clip in answer.evidence["clips"].values():
        assert clip["played"] == 1
        assert clip["first_end"] > SECONDS - 0.1
    assert list(Rating.objects.order_by("place").values_list("place", "code", "value")) == [
        (1, "fair", 50.0),
        (2, "excellent", 100.0),
        (3, "bad", 0.0),
    ]


def test_keys_alone_are_enough(page: Page) -> None:
    begin(page, make_study())
    keyboard = page.keyboard
    keyboard.press("r")
    heard(page, "Reference")
    keyboard.press("a")
    expect(slider(page, "A")).to_be_focused()
    keyboard.press("ArrowRight")
    keyboard.press("7")
    heard(page, "Clip A")
    expect(value(page, "A")).to_have_text("not rated yet")
    keyboard.press("ArrowRight")
    expect(value(page, "A")).to_have_text("50 · Fair")
    keyboard.press("ArrowRight")
    expect(value(page, "A")).to_have_text("51 · Fair")
    keyboard.press("PageUp")
    keyboard.press("PageUp")
    keyboard.press("ArrowLeft")
    expect(value(page, "A")).to_have_text("70 · Good")
    keyboard.press("Tab")
    keyboard.press("Space")
    heard(page, "Clip B")
    keyboard.press("Tab")
    expect(slider(page, "B")).to_be_focused()
    keyboard.press("End")
    expect(value(page, "B")).to_have_text("100 · Excellent")
    keyboard.press("PageDown")
    expect(value(page, "B")).to_have_text("90 · Excellent")
    keyboard.press("c")
    heard(page, "Clip C")
    keyboard.press("3")
    expect(value(page, "C")).to_have_text("30 · Poor")
    keyboard.press("Space")
    expect(page.locator("#trial")).to_have_attribute("data-state", "playing")
    heard(page, "Clip C")
    keyboard.press("Control+Enter")
    expect(page.locator("#where")).to_contain_text("Screen 2 of 2")
    assert sorted(Answer.objects.get().body["ratings"].values()) == [30, 70, 90]


def test_what_was_heard_and_rated_outlives_a_reload(page: Page) -> None:
    begin(page, make_study())
    hear(page, "Clip A")
    hear(page, "Clip B")
    click_at(page, "A", 0.5)
    page.reload()
    in_state(page, "ready")
    expect(value(page, "A")).to_have_text("50 · Fair")
    expect(value(page, "B")).to_have_text("not rated yet")
    expect(value(page, "C")).to_have_text("listen first")
    hear(page, "Reference")
    hear(page, "Clip C")
    in_state(page, "heard")
    click_at(page, "B", 0.2)
    click_at(page, "C", 0.2)
    save(page)
    expect(page.locator("#where")).to_contain_text("Screen 2 of 2")
    assert {clip["plays"] for clip in Answer.objects.get().evidence["clips"].values()} == {1}


def test_a_screen_is_called_a_screen_and_a_single_set_is_not_counted(page: Page) -> None:
    begin(page, make_study())
    expect(page.locator("#where")).to_have_text("Screen 1 of 2")
    page.route("**/audio/*", lambda route: route.abort())
    page.reload()
    for _try in range(2):
        page.get_by_role("button", name="Try now").first.click()
    expect(page.locator("[data-stuck]")).to_contain_text("continue without this screen")
    page.get_by_role("button", name="Report the clip and continue").click()
    expect(page.get_by_role("status")).to_have_text("The clip is reported. Here is the next screen.")
    expect(page.locator("#where")).to_have_text("Screen 2 of 2")


def test_a_pair_is_called_a_pair(page: Page) -> None:
    begin(page, kinds.make("cmos", now=timezone.now()))
    expect(page.locator("#where")).to_have_text("Pair 1 of 2")
    save(page, too_early=True)
    expect(page.locator("#advice")).to_contain_text("listen to both clips to their end first")
    for letter in "AB":
        hear(page, f"Clip {letter}")
    expect(page.locator("#advice")).to_have_text("You have heard both clips: you can answer now.")
    page.get_by_role("radio", name="About the same").check()
    save(page)
    expect(page.get_by_role("status")).to_have_text("✓ Pair 1 is saved.")
    assert Answer.objects.get().body == {"preference": 0}


def test_saving_before_all_was_heard_leads_to_what_was_not(page: Page) -> None:
    begin(page, make_study())
    hear(page, "Reference")
    hear(page, "Clip B")
    click_at(page, "B", 0.5)
    save(page, too_early=True)
    expect(page.locator("#advice")).to_contain_text("every clip to its end first")
    expect(play(page, "Clip A")).to_be_focused()
    assert not Answer.objects.exists()


def test_clips_can_be_played_while_others_of_the_screen_are_loading(page: Page) -> None:
    first: set[str] = set()
    held: list[Route] = []

    def let_one_through(route: Route) -> None:
        if first and route.request.url not in first:
            held.append(route)
        else:
            first.add(route.request.url)
            route.continue_()

    page.route("**/audio/*", let_one_through)
    open_trial(page, make_study())
    expect(play(page, "Reference")).to_have_attribute("aria-disabled", "false")
    expect(page.locator("#trial")).to_have_attribute("data-state", "loading")
    expect(page.locator("#advice")).to_contain_text("Listen to")
    first.update(route.request.url for route in held)
    for route in held:
        route.continue_()
    page.unroute("**/audio/*")
    in_state(page, "ready")


def test_where_listening_is_only_noted_sliders_are_open_from_the_start(page: Page) -> None:
    begin(page, make_study(protocol__playback="record"))
    for letter in "ABC":
        click_at(page, letter, 0.5)
    save(page)
    expect(page.locator("#where")).to_contain_text("Screen 2 of 2")
    assert list(Answer.objects.get().body["ratings"].values()) == [50, 50, 50]


def test_a_clip_that_may_be_played_once_goes_on_where_it_was_left(page: Page) -> None:
    begin(page, make_study(seconds=(1.5,), protocol__max_plays=1))
    play(page, "Clip A").click()
    in_state(page, "playing")
    play(page, "Clip B").click()
    heard(page, "Clip B")
    expect(play(page, "Clip A")).to_have_text(re.compile("Continue"))
    play(page, "Clip A").click()
    heard(page, "Clip A")
    expect(play(page, "Clip A")).to_have_attribute("aria-disabled", "true")
    assert set(TrialClip.objects.filter(plays__gt=0).values_list("plays", flat=True)) == {1}


def test_where_interruptions_void_a_play_a_switch_does_too(page: Page) -> None:
    begin(page, make_study(seconds=(1.5,), protocol__interruption="void"))
    play(page, "Clip A").click()
    in_state(page, "playing")
    play(page, "Clip B").click()
    heard(page, "Clip B")
    expect(slider(page, "A")).to_have_attribute("aria-valuetext", "listen first")
    hear(page, "Clip A")
    expect(slider(page, "A")).to_have_attribute("aria-valuetext", "not rated yet")


def test_without_the_explicit_reference_there_is_none_to_play(page: Page) -> None:
    begin(page, make_study(task__explicit_reference=False))
    expect(page.get_by_text("Reference", exact=True)).to_have_count(0)
    expect(page.locator(".row")).to_have_count(3)
    page.keyboard.press("a")
    heard(page, "Clip A")


def test_rows_can_be_sorted_by_rating(page: Page) -> None:
    begin(page, make_study(protocol__playback="record"))
    for letter, share in (("A", 0.2), ("B", 0.9)):
        click_at(page, letter, share)
    page.get_by_role("button", name="Sort by rating").click()
    names = page.locator(".row .name").all_text_contents()
    assert names == ["Clip B", "Clip A", "Clip C"]
    hear(page, "Clip C")


@pytest.mark.parametrize("language", ["en", "ar"])
def test_a_screen_is_open_to_everybody(page: Page, language: str) -> None:
    begin_in = make_study(texts__language=language)
    page.goto(f"/s/{begin_in.slug}/?PROLIFIC_PID=p{language}&STUDY_ID=ext&SESSION_ID=s{language}")
    page.locator("#agreed").check()
    page.locator("button[value=agree]").click()
    page.locator("form .button").click()
    in_state(page, "ready")
    page.locator(".row .play").first.click()
    in_state(page, "playing")
    in_state(page, "ready")
    page.locator(".row .rating").first.press("End")
    page.locator(".row .rating").nth(1).evaluate("slider => slider.focus()")
    for width in (1280, 390, 320):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        found = Axe().run(page, options={"resultTypes": ["violations"], "preload": False}).response["violations"]
        assert [rule["id"] for rule in found if rule["impact"] in {"serious", "critical"}] == []


def test_each_clip_of_many_is_loaded_once_and_before_its_screen_is_shown(page: Page) -> None:
    calls: list[str] = []
    page.on("request", lambda request: calls.append(request.url))
    systems = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")
    study = make_study(systems=systems, protocol__playback="record")
    # Not their end: Chromium calls a request aborted when the page has read its last byte before the network says so.
    with page.expect_response(lambda _last: sum("/audio/" in url for url in calls) == 16, timeout=60_000):
        begin(page, study)
    for letter in "ABCDEFG":
        click_at(page, letter, 0.5)
    save(page)
    expect(page.locator("#where")).to_contain_text("Screen 2 of 2")
    in_state(page, "ready")
    hear(page, "Clip G")
    audio = [url for url in calls if "/audio/" in url]
    assert len(audio) == len(set(audio)) == 16


@pytest.mark.parametrize("width", [1280, 390])
def test_grades_of_impairment_go_from_1_to_5_in_tenths_and_name_the_nearest_grade(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    settings = {"task__scale": "impairment", "task__one_system": True, "task__anchors": ()}
    begin(page, kinds.make("mushra", now=timezone.now(), seconds=0.4, **settings))
    hear_all(page, "AB")
    sliders = page.locator("[data-slider]")
    expect(sliders).to_have_count(2)
    sliders.nth(0).press("ArrowRight")
    expect(sliders.nth(0)).to_have_attribute("aria-valuetext", "3.0 · Slightly annoying")
    sliders.nth(0).press("PageUp")
    expect(sliders.nth(0)).to_have_attribute("aria-valuetext", "3.4 · Slightly annoying")
    sliders.nth(1).press("End")
    sliders.nth(1).press("9")
    expect(sliders.nth(1)).to_have_attribute("aria-valuetext", "4.6 · Imperceptible")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert look(page) == []
    save(page)
    expect(page.locator("#where")).to_contain_text("2 of")
    rows = {(row.part, row.value) for row in Rating.objects.all()}
    assert {("rating", 3.4), ("rating", 4.6)} < rows
    assert abs(dict(rows)["difference"]) == 1.2

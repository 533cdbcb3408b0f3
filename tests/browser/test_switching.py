"""Switching between clips, as it sounds: never two at once, never a click, and anew or in step as the study says."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import pi
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from raters.models import Answer
from tests.browser import loudspeaker
from tests.browser.steps import begin, in_state, save
from tests.browser.test_mushra import click_at, make_study, play, slider, value

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]
# The tones of `screens.tone`: amplitude, and the highest pitch in Hz at the lowest usual rate.
AMPLITUDE, PITCH = 8000 / 32768, 500
STEEPEST = AMPLITUDE * 2 * pi * PITCH / loudspeaker.RATE
ALL = ("Reference", "Clip A", "Clip B", "Clip C", "Clip A", "Reference")
OTHERS = ("Clip A", "Clip B", "Clip C") * 5


@pytest.fixture
def context(browser: Browser, live_server: object) -> Iterator[BrowserContext]:
    """Open a window into which a script of the test's own may come."""
    window = browser.new_context(base_url=str(live_server), viewport={"width": 1280, "height": 800}, bypass_csp=True)
    window.set_default_timeout(60_000)
    yield window
    window.close()


def start(page: Page, **settings: Any) -> None:
    loudspeaker.watch(page)
    begin(page, make_study(**settings))


def prepare(page: Page, **settings: Any) -> None:
    """Come to a page of which the sound is rendered, with all its clips loaded."""
    loudspeaker.prepare(page)
    begin(page, make_study(seconds=(20.0,), **settings))
    expect(page.locator(".player[data-state=ready]")).to_have_count(4)


def render(page: Page, *presses: tuple[str, float]) -> loudspeaker.Heard:
    """Return what is heard when these clips' buttons are pressed at these seconds."""
    buttons = {name: play(page, name).element_handle() for name, _ in presses}
    return loudspeaker.render(page, [loudspeaker.Press(buttons[name], seconds) for name, seconds in presses])


def in_turn(*names: str) -> list[tuple[str, float]]:
    """Return presses one after the other, each while the clip before sounds, wherever in its wave that is."""
    return [(name, 0.1 + 0.1234 * index) for index, name in enumerate(names)]


def switch(page: Page, *names: str) -> None:
    """Play one clip after the other, each once the last has sounded, and before it has ended."""
    for name in names:
        play(page, name).click()
        expect(page.get_by_role("group", name=name, exact=True)).to_have_attribute("data-state", "playing")
        expect(page.locator(".player[data-state=playing]")).to_have_count(1)
        track = page.get_by_role("group", name=name, exact=True).locator("[data-part=track]")
        page.wait_for_function("track => track.value > 0.08", arg=track.element_handle())


@pytest.mark.parametrize("switching", ["restart", "synchronous"])
def test_only_one_clip_sounds_at_a_time_and_none_is_cut_off_with_a_click(page: Page, switching: str) -> None:
    prepare(page, task__switching=switching)
    measured = render(page, *in_turn(*ALL, "Reference"))
    in_state(page, "paused")
    assert measured.loud > 0.5 * loudspeaker.RATE
    assert measured.overlap == 0
    assert measured.step < 1.5 * STEEPEST
    plays = loudspeaker.plays(page)
    assert len(plays) == 6
    for before, after in pairwise(plays):
        assert after.start >= before.stop - 1e-9
        expected = before.offset + before.stop - before.start if switching == "synchronous" else 0.0
        assert after.offset == pytest.approx(expected, abs=1e-6)


def test_a_switch_while_a_clip_is_still_fading_in_is_no_click(page: Page) -> None:
    prepare(page, task__switching="synchronous")
    # From before the other begins to after it is wholly there: a fade begins 20 ms after its press and takes 10.
    pairs = [((name, 0.3 * index), ("Reference", 0.3 * index + 0.003 * index)) for index, name in enumerate(OTHERS, 1)]
    measured = render(page, ("Reference", 0.1), *(press for pair in pairs for press in pair))
    assert measured.loud > 4 * loudspeaker.RATE
    assert measured.overlap == 0
    assert measured.step < 1.5 * STEEPEST


def test_the_measuring_hears_a_click_where_nothing_fades(page: Page) -> None:
    page.route("**/rater/deck*.js", abruptly)
    prepare(page)
    assert render(page, *in_turn(*ALL)).step > 3 * STEEPEST


def abruptly(route: Route) -> None:
    """Send the player's module with fades of no length."""
    response = route.fetch()
    script = response.text()
    assert "const FADE = 0.01;" in script
    route.fulfill(response=response, body=script.replace("const FADE = 0.01;", "const FADE = 1e-6;"))


def test_a_pause_goes_on_where_it_was_and_a_switch_begins_anew(page: Page) -> None:
    prepare(page)
    render(page, *in_turn("Clip A", "Clip A", "Clip A", "Clip B", "Clip A"))
    first, resumed, other, anew = loudspeaker.plays(page)
    assert resumed.offset == pytest.approx(first.stop - first.start, abs=1e-6)
    assert (other.offset, anew.offset) == (0.0, 0.0)


def test_in_step_a_clip_counts_as_heard_once_its_whole_length_was_covered(page: Page) -> None:
    start(
        page,
        seconds=(1.5,),
        task__switching="synchronous",
        task__hidden_reference=False,
        task__explicit_reference=False,
    )
    second = page.get_by_role("group", name="Clip B", exact=True)
    switch(page, "Clip A", "Clip B")
    expect(second).to_have_attribute("data-state", "ready")
    for letter in "AB":
        expect(slider(page, letter)).to_have_attribute("aria-valuetext", "listen first")
    # The end was heard before, so that B is whole before it comes to its end again.
    switch(page, "Clip B")
    expect(slider(page, "B")).to_have_attribute("aria-valuetext", "not rated yet")
    expect(second).to_have_attribute("data-state", "ended")
    play(page, "Clip A").click()
    in_state(page, "heard")
    click_at(page, "A", 0.5)
    click_at(page, "B", 0.5)
    expect(value(page, "B")).to_have_text("50 · Fair")
    save(page)
    expect(page.locator("#where")).to_contain_text("Screen 2 of 2")
    assert all(clip["played"] > 0.99 for clip in Answer.objects.get().evidence["clips"].values())


def test_one_volume_is_for_all_clips(page: Page) -> None:
    start(page)
    expect(page.get_by_role("slider", name="Volume")).to_have_count(1)
    page.get_by_role("slider", name="Volume").fill("0.3")
    levels = "outputs.filter((node) => node.gain).map((node) => Math.round(100 * node.gain.value) / 100)"
    page.wait_for_function(f"{levels}.every((level) => level === 0.3)")
    assert len(page.evaluate(levels)) == 4
    page.reload()
    in_state(page, "ready")
    expect(page.get_by_role("slider", name="Volume")).to_have_value("0.3")
    assert len(page.evaluate(levels)) == 4

"""A rater's whole way in Firefox and in WebKit: clips load, play and count, and answers are stored."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from raters.models import Answer
from studies.models import Study
from tests import screens
from tests.browser.steps import REASON, link, make_study
from tests.engines.driver import Tab

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files"), pytest.mark.engines]

CONTROL_ENTER = "\ue009\ue007"
RIGHT = "\ue014"
OFFLINE = "window.line = fetch; window.fetch = () => Promise.reject(new TypeError('No line.'));"
WIDE, NARROW = (1280, 800), (390, 844)  # each browser has a least width of its own


def leave(tab: Tab, command: str, **parameters: Any) -> None:
    """Leave a page once its clips are loaded: GStreamer hangs, and WebKit with it, when one is dropped on the way."""
    tab.wait("!document.querySelector('[data-state=loading]')")
    tab.send(command, **parameters)


def begin(tab: Tab, server: Any, study: Study) -> None:
    """Come by a link, agree and read."""
    leave(tab, "Navigate", url=f"{server}{link(study)}")
    tab.click("input[type=checkbox]")
    tab.click("form .button")
    tab.wait("document.querySelector('.prose') && !document.querySelector('input[type=checkbox]')")
    tab.click("form .button")
    in_state(tab, "ready")


def in_state(tab: Tab, state: str) -> None:
    tab.wait("document.querySelector('#trial')?.dataset.state === arguments[0]", state)


def says(tab: Tab, css: str, text: str) -> None:
    tab.wait("document.querySelector(arguments[0])?.textContent.includes(arguments[1])", css, text)


def sounds_until(tab: Tab, share: float) -> None:
    tab.wait("document.querySelector('[data-part=track]').value >= arguments[0]", share)


def fits(tab: Tab, size: tuple[int, int]) -> None:
    tab.resize(*size)
    tab.wait("document.documentElement.scrollWidth <= innerWidth")


def listen(tab: Tab) -> None:
    in_state(tab, "ready")
    tab.click(".play")
    in_state(tab, "heard")


def fill(tab: Tab) -> None:
    tab.click("[name=label][value=human]")
    tab.type("#reason", REASON)


def player(name: str) -> str:
    return f".player[aria-label='{name}']"


def test_a_session_from_the_link_to_the_code(tab: Tab, live_server: Any) -> None:
    tab.resize(*WIDE)
    begin(tab, live_server, make_study(protocol__batches_per_session=1))
    listen(tab)
    fill(tab)
    leave(tab, "Refresh")
    in_state(tab, "heard")
    assert tab.script("return document.querySelector('#reason').value") == REASON
    fits(tab, NARROW)
    tab.click("#save")
    says(tab, "#where", "Clip 2 of 3")

    leave(tab, "Back")
    leave(tab, "Forward")
    says(tab, "#where", "Clip 2 of 3")
    in_state(tab, "ready")
    tab.type(".play", " ")
    in_state(tab, "heard")
    tab.type(".play", "1")
    tab.type("#reason", REASON)
    tab.type("#reason", CONTROL_ENTER)
    says(tab, "#where", "Clip 3 of 3")

    fits(tab, WIDE)
    listen(tab)
    fill(tab)
    tab.script(OFFLINE)
    tab.click("#save")
    says(tab, "#status", "No connection")
    tab.script("window.fetch = window.line;")
    says(tab, "main", "DONE1")

    answers = Answer.objects.all()
    assert [answer.body for answer in answers] == [{"label": "human", "reason": REASON}] * 3
    for answer in answers:
        (clip,) = answer.evidence["clips"].values()
        assert (clip["plays"], clip["interrupted"], clip["played"]) == (1, 0, 1)
        assert clip["first_end"] > 0.5


def test_a_screen_whose_clips_are_switched(tab: Tab, live_server: Any) -> None:
    tab.resize(*WIDE)
    begin(tab, live_server, screens.make_study(now=timezone.now(), seconds=(1.0,), texts=2))
    tab.click(f"{player('Reference')} .play")
    in_state(tab, "playing")
    tab.click(f"{player('Clip A')} .play")
    tab.wait(f"document.querySelector(\"{player('Reference')}\").dataset.state === 'ready'")
    tab.wait(f"document.querySelector(\"{player('Clip A')}\").dataset.state === 'ended'")
    leave(tab, "Refresh")
    in_state(tab, "ready")
    says(tab, "#advice", "1 of 4 heard")
    fits(tab, NARROW)
    for name in ("Reference", "Clip B", "Clip C"):
        tab.click(f"{player(name)} .play")
        tab.wait(f"document.querySelector(\"{player(name)}\").dataset.state === 'ended'")
    in_state(tab, "heard")
    for letter in "ABC":
        tab.type(f"[data-slider][aria-label='Clip {letter}']", RIGHT * 3)
    tab.click("#save")
    says(tab, "#where", "Screen 2 of 2")
    answer = Answer.objects.get()
    assert sorted(answer.body["ratings"].values()) == [52, 52, 52]
    assert [clip["played"] for clip in answer.evidence["clips"].values()] == [1] * 4


def test_a_clip_that_lost_its_output_is_not_heard(tab: Tab, live_server: Any) -> None:
    begin(tab, live_server, make_study(seconds=2.0))
    tab.click(".play")
    in_state(tab, "playing")
    sounds_until(tab, 0.1)
    tab.loudspeaker.unplug()
    try:
        in_state(tab, "failed")
        says(tab, "#advice", "Check that headphones or speakers are connected")
    finally:
        tab.loudspeaker.plug()
    tab.click(".play")
    listen(tab)
    fill(tab)
    tab.click("#save")
    says(tab, "#where", "Clip 2 of 3")
    (clip,) = Answer.objects.get().evidence["clips"].values()
    assert (clip["plays"], clip["interrupted"], clip["played"]) == (2, 1, 1)

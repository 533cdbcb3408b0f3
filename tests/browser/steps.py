"""A rater's steps, as tests of the rater's pages take them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Error, Locator, Page, expect

from studies.models import Study
from tests import world

PEOPLE = count(1)
REASON = "The pause before the last word is too long"
SECONDS = 0.6


def make_study(**settings: Any) -> Study:
    """Make a study of short clips: sets of three, two sets."""
    parameters: dict[str, Any] = {
        "now": timezone.now(),
        "seconds": SECONDS,
        "protocol__batches_per_session": 2,
        "protocol__tests_per_batch": 1,
        "protocol__human_traps": 1,
        "crowd__completion_code": "DONE1",
        "crowd__withdrawn_code": "LEFT1",
        **settings,
    }
    return world.make_study(**parameters)


def link(study: Study) -> str:
    number = next(PEOPLE)
    return f"/s/{study.slug}/?PROLIFIC_PID=p{number}&STUDY_ID=ext&SESSION_ID=s{number}"


def begin(page: Page, study: Study) -> str:
    """Come by a link, agree, read, and stand before the first clip; returns the link."""
    address = open_trial(page, study)
    in_state(page, "ready")
    return address


def open_trial(page: Page, study: Study) -> str:
    """Come by a link, agree and read, up to a page whose clips may still be loading; returns the link."""
    address = link(study)
    page.goto(address)
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="I agree").click()
    page.get_by_role("button", name="Start").click()
    return address


def in_state(page: Page, state: str) -> None:
    expect(page.locator("#trial")).to_have_attribute("data-state", state)


def wait_until(page: Page, is_so: Callable[[], bool], otherwise: str) -> None:
    """Wait for what no event of the page tells; fail with `otherwise` after half a minute."""
    for _moment in range(300):
        if is_so():
            return
        page.wait_for_timeout(100)
    pytest.fail(otherwise)


def sounds_until(page: Page, share: float) -> None:
    """Wait until this share of the clip was played."""
    page.wait_for_function("share => document.querySelector('[data-part=track]').value >= share", arg=share)


def go(page: Page, address: str) -> None:
    """Open a page; again if the present page's own reload aborted that."""
    try:
        page.goto(address)
    except Error as error:
        if "ERR_ABORTED" not in str(error):
            raise
        page.goto(address)


def play_button(page: Page) -> Locator:
    return page.locator(".play")


def listen(page: Page) -> None:
    in_state(page, "ready")
    play_button(page).click()
    in_state(page, "heard")


def fill(page: Page, label: str = "Human", reason: str = REASON) -> None:
    page.get_by_role("radio", name=label).check()
    page.get_by_label("What in the audio").fill(reason)


def save(page: Page, *, too_early: bool = False) -> None:
    """Click Save; a button that looks disabled can be clicked all the same, and then explains itself."""
    page.get_by_role("button", name="Save and continue").click(force=too_early)


def rate(page: Page) -> None:
    listen(page)
    fill(page)
    save(page)


def is_at(page: Page, position: int, number: int = 1) -> None:
    expect(page.locator("#where")).to_contain_text(f"Clip {position} of 3 · set {number} of 2")

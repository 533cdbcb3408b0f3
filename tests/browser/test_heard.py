"""A clip that was heard whole stays heard after a reload, if the server has seen it too."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from playwright.sync_api import Page, expect

from raters.models import Answer, TrialClip
from tests.browser.steps import (
    begin,
    fill,
    in_state,
    is_at,
    listen,
    make_study,
    play_button,
    save,
    sounds_until,
    wait_until,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]


@pytest.mark.parametrize("interruption", ["keep", "void"])
def test_what_was_heard_whole_stays_heard(page: Page, files: Any, interruption: str) -> None:
    begin(page, make_study(protocol__interruption=interruption))
    listen(page)
    page.reload()
    in_state(page, "heard")
    expect(play_button(page)).to_have_accessible_name("Play again")
    fill(page)
    save(page)
    is_at(page, 2)
    in_state(page, "ready")
    (clip,) = Answer.objects.get().evidence["clips"].values()
    assert (clip["plays"], clip["played"]) == (1, 1)


def test_what_was_left_in_the_middle_is_heard_again(page: Page, files: Any) -> None:
    begin(page, make_study(seconds=1.5))
    play_button(page).click()
    in_state(page, "playing")
    sounds_until(page, 0.2)
    page.reload()
    in_state(page, "ready")
    # By its clock alone, the server could take it for heard.
    clips, earlier = TrialClip.objects.filter(play_began_at__isnull=False), F("play_began_at") - timedelta(seconds=9)
    wait_until(page, lambda: bool(clips.update(play_began_at=earlier)), "the server never heard of the play")
    page.reload()
    in_state(page, "ready")


def test_the_browsers_word_is_not_enough(page: Page, files: Any) -> None:
    page.route("**/api/played/*", lambda route: route.abort())
    begin(page, make_study())
    listen(page)
    assert TrialClip.objects.filter(play_began_at__isnull=False).count() == 0
    page.unroute("**/api/played/*")
    page.reload()
    in_state(page, "ready")

"""Every task type in a real browser, without being named: heard, answered and saved by clicks alone."""

from __future__ import annotations

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from raters.models import Answer, Rating
from studies import task_types
from tests import kinds
from tests.browser import steps

pytestmark = pytest.mark.django_db(transaction=True)
every_kind = pytest.mark.parametrize("kind", sorted(task_types.by_name()))
NARROW = {"width": 390, "height": 844}


def listen(page: Page) -> None:
    """Play each clip to its end, one after the other."""
    steps.in_state(page, "ready")
    players = page.locator(".player")
    for place in range(players.count()):
        player = players.nth(place)
        player.locator(".play").click()
        expect(player).to_have_attribute("data-state", "ended")
    steps.in_state(page, "heard")


def fill(page: Page) -> None:
    """Choose the first of every group, move every slider, write where something is asked for."""
    form = page.locator("form[data-answer]")
    radios = form.locator("input[type=radio]:visible")
    names = [radio.get_attribute("name") for radio in radios.all()]
    for name in dict.fromkeys(names):
        # The worst clip of a set isn't the best.
        form.locator(f"input[type=radio][name='{name}']:visible").nth(1 if name == "worst" else 0).check()
    for slider in form.locator("input[type=range]:not([data-part]):visible").all():
        slider.focus()
        slider.press("ArrowRight")
    for field in form.locator("textarea:visible").all():
        field.fill(steps.REASON)


@every_kind
@pytest.mark.parametrize("viewport", [None, NARROW], ids=["wide", "narrow"])
def test_a_session_is_rated_by_clicks(page: Page, kind: str, viewport: dict[str, int] | None) -> None:
    if viewport is not None:
        page.set_viewport_size(viewport)  # type: ignore[arg-type]
    study = kinds.make(
        kind,
        now=timezone.now(),
        seconds=0.4,
        protocol__flawed_traps=0,
        protocol__human_traps=0,
        protocol__human_traps_right=0,
    )
    steps.begin(page, study)
    for number in (1, 2):
        expect(page.locator("#where")).to_contain_text(f"{number} of 2")
        listen(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"
        fill(page)
        steps.save(page)
    expect(page.locator("#code")).to_have_text("DONE1")
    assert Answer.objects.count() == 2
    assert Rating.objects.filter(part=task_types.get(kind).score.part).exists()


@every_kind
def test_what_is_missing_is_said_beside_its_field_and_nothing_is_sent(page: Page, kind: str) -> None:
    study = kinds.make(
        kind,
        now=timezone.now(),
        seconds=0.4,
        protocol__flawed_traps=0,
        protocol__human_traps=0,
        protocol__human_traps_right=0,
    )
    steps.begin(page, study)
    listen(page)
    steps.save(page)
    expect(page.locator("form[data-answer] .problem:visible").first).not_to_be_empty()
    assert not Answer.objects.exists()

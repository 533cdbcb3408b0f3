"""The page Design by real clicks: changes are saved as they are made, shown in figures, undone, and never lost."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import BrowserContext, Locator, Page, expect

from accounts.models import User
from studies.launch import states
from studies.models import Study
from tests.browser.test_researcher import log_in
from tests.world import make_study

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]


@pytest.fixture
def study(page: Page) -> Study:
    """Return a draft of Rita's, whose browser this is."""
    log_in(page)
    owner = User.objects.get(username="rita")
    return states.create_study(
        slug="voices", title="Voices of spring", preset="att", owner=owner, changes={}, now=timezone.now()
    )


def open_design(page: Page, study: Study, setting: str = "") -> None:
    page.goto(reverse("studies:design", args=[study.slug]) + setting)
    expect(page.get_by_role("button", name="Undo")).to_be_visible()


def ratings(page: Page) -> Locator:
    return page.get_by_label("Ratings per clip", exact=True)


def problem(page: Page, name: str) -> Locator:
    return page.locator(f"#{name}-problem")


def is_saved(page: Page, study: Study, number: int) -> None:
    expect(page.locator("[data-status]")).to_contain_text(re.compile("Saved at|Undone|Redone"))
    study.refresh_from_db()
    assert study.definition.protocol.ratings_wanted == number


def test_a_change_is_shown_in_figures_saved_undone_and_redone(page: Page, study: Study) -> None:
    page.goto(reverse("workspace:overview", args=[study.slug]))
    page.get_by_role("link", name="Design", exact=True).first.click()
    panel = page.locator("[data-panel]")
    expect(panel).to_contain_text("Raters, at least48")
    expect(panel).to_contain_text("3 batches of 10 clips: 7 test clips, 1 flawed trap, 2 human traps.")
    row = page.locator("[data-row=protocol__ratings_wanted]")
    expect(row.get_by_text("Changed")).to_be_hidden()

    ratings(page).fill("20")
    expect(panel).to_contain_text("Raters, at least96")
    is_saved(page, study, 20)
    expect(row.get_by_text("Changed")).to_be_visible()

    page.get_by_label("Listening", exact=True).select_option("Free, only marked")
    expect(panel).to_contain_text("May answer before a clip ends")
    expect(page.locator("[data-status]")).to_contain_text("Saved at")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("[data-status]")).to_have_text("Undone: Listening.")
    expect(page.get_by_label("Listening", exact=True)).to_have_value("enforce")
    # By keys, outside a text field.
    page.get_by_role("button", name="Undo").press("Control+z")
    expect(ratings(page)).to_have_value("10")
    expect(page.locator("[data-status]")).to_have_text("Undone: Ratings per clip.")
    is_saved(page, study, 10)
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    page.reload()
    page.get_by_role("button", name="Redo").click()
    expect(ratings(page)).to_have_value("20")
    is_saved(page, study, 20)
    row.get_by_role("button", name="Reset to default").click()
    expect(ratings(page)).to_have_value("10")
    expect(row.get_by_role("button", name="Reset to default")).to_be_hidden()
    page.get_by_role("button", name="Undo").click()
    expect(ratings(page)).to_have_value("20")


def test_what_is_invalid_is_named_and_the_rest_is_saved(page: Page, study: Study) -> None:
    open_design(page, study)
    ratings(page).fill("0")
    expect(problem(page, "protocol__ratings_wanted")).to_contain_text("greater than or equal to 1")
    expect(page.locator("[data-status]")).to_contain_text("Not saved: Ratings per clip.")
    page.get_by_label("Batches per rater", exact=True).fill("2")
    expect(page.locator("[data-panel]")).to_contain_text("2 batches of 10 clips")
    expect(problem(page, "protocol__ratings_wanted")).to_be_visible()
    expect(page.locator("[data-status]")).to_contain_text("Not saved: Ratings per clip.")
    ratings(page).fill("12")
    expect(problem(page, "protocol__ratings_wanted")).to_be_hidden()
    expect(page.locator("[data-status]")).to_contain_text("Saved at")
    study.refresh_from_db()
    assert (study.definition.protocol.ratings_wanted, study.definition.protocol.batches_per_session) == (12, 2)


def test_somebody_elses_change_is_shown_and_stays_until_one_decides(page: Page, study: Study) -> None:
    open_design(page, study)
    states.change_settings(study=study, changes={"protocol.ratings_wanted": 4, "protocol.tests_per_batch": 5})
    ratings(page).fill("20")
    told = problem(page, "protocol__ratings_wanted")
    expect(told).to_contain_text("Somebody changed this meanwhile. It is now: 4.")
    study.refresh_from_db()
    assert study.definition.protocol.ratings_wanted == 4
    told.get_by_role("button", name="Keep their value").click()
    expect(ratings(page)).to_have_value("4")
    page.get_by_label("Test clips per batch", exact=True).fill("6")
    problem(page, "protocol__tests_per_batch").get_by_role("button", name="Save mine").click()
    expect(page.locator("[data-status]")).to_contain_text("Saved at")
    study.refresh_from_db()
    assert (study.definition.protocol.ratings_wanted, study.definition.protocol.tests_per_batch) == (4, 6)


def test_settings_are_found_by_words_and_by_address(page: Page, study: Study) -> None:
    open_design(page, study)
    lease = page.get_by_label("Idle minutes", exact=True)
    expect(lease).to_be_hidden()
    search = page.get_by_label("Search settings")
    search.fill("lease")
    expect(lease).to_be_visible()
    expect(page.locator("#search-result")).to_have_text("1 setting matches.")
    search.fill("per batch")
    expect(page.locator("#search-result")).to_contain_text("settings match.")
    expect(page.locator("[data-above]").get_by_role("link", name="Test clips per batch")).to_be_visible()
    search.fill("email")
    expect(page.locator("#search-result")).to_contain_text("1 setting matches.")
    search.fill("consent")
    expect(page.get_by_label("Consent", exact=True)).to_be_visible()
    search.fill("speech synthesis")
    expect(page.get_by_label("Debrief", exact=True)).to_be_visible()
    search.fill("golden")
    expect(page.locator("#search-result")).to_contain_text("No setting matches.")
    search.fill("")
    expect(lease).to_be_hidden()
    open_design(page, study, "#crowd.completion_code")
    code = page.get_by_label("Completion code", exact=True)
    expect(code).to_be_visible()
    expect(code).to_be_focused()


def test_a_lost_connection_is_told_and_the_change_is_saved_later(page: Page, study: Study) -> None:
    open_design(page, study)
    page.route("**/design/save", lambda route: route.abort(), times=1)
    ratings(page).fill("7")
    expect(page.locator("[data-status]")).to_contain_text("no connection")
    expect(page.locator("[data-status]")).to_contain_text("Saved at", timeout=10_000)
    is_saved(page, study, 7)


def test_a_narrow_page_shows_the_figures_below_and_never_scrolls_sideways(page: Page, study: Study) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_design(page, study)
    page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true })")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    settings, panel = page.locator(".ds-form").bounding_box(), page.locator(".ds-side").bounding_box()
    assert settings
    assert panel
    assert panel["y"] >= settings["y"] + settings["height"]


def test_without_a_script_the_whole_form_is_saved_by_its_button(
    page: Page, context: BrowserContext, live_server: Any
) -> None:
    study = make_study(now=timezone.now())
    assert context.browser
    plain = context.browser.new_context(base_url=str(live_server), java_script_enabled=False)
    page = plain.new_page()
    log_in(page)
    Study.objects.update(owner=User.objects.get(username="rita"))
    page.goto(reverse("studies:design", args=[study.slug]))
    expect(page.get_by_label("Search settings")).to_be_hidden()
    ratings(page).fill("0")
    page.get_by_text("All other settings").click()
    page.locator("#group-protocol > summary").click()
    page.get_by_label("Idle minutes", exact=True).fill("45")
    page.get_by_role("button", name="Save settings").click()
    expect(problem(page, "protocol__ratings_wanted")).to_contain_text("greater than or equal to 1")
    ratings(page).fill("3")
    ratings(page).press("Enter")
    expect(page.get_by_text("Saved in the draft. Publish it to apply it to raters.")).to_be_visible()
    study.refresh_from_db()
    assert (study.definition.protocol.ratings_wanted, study.definition.protocol.lease_minutes) == (3, 45)
    page.locator("[data-row=protocol__ratings_wanted]").get_by_role("button", name="Reset to default").click()
    expect(ratings(page)).to_have_value("10")
    plain.close()


def test_a_person_who_was_signed_out_signs_in_elsewhere_and_the_page_saves_on(
    page: Page, context: BrowserContext, study: Study
) -> None:
    open_design(page, study)
    context.clear_cookies()
    ratings(page).fill("21")
    expect(page.locator("[data-status]")).to_contain_text("Not saved: you were signed out.")
    study.refresh_from_db()
    assert study.definition.protocol.ratings_wanted != 21

    other = context.new_page()
    other.goto("/admin/")
    other.get_by_label("Username").fill("rita")
    other.get_by_label("Password").fill("pw")
    other.get_by_role("button", name="Log in").click()
    is_saved(page, study, 21)

"""A researcher previews a draft by clicks: wide and on a phone, heard and skipped, and ends it."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from playwright.sync_api import BrowserContext, FrameLocator, Page, expect

from raters.models import Answer, DryRun, Session
from studies.models import Study
from tests import kinds
from tests.browser import steps
from tests.browser.looking import Walk
from tests.researchers import researcher, url
from tests.workers import work_at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]


@pytest.fixture
def study(context: BrowserContext, live_server: Any, transactional_db: None) -> Study:
    """Return a draft in English and Chinese whose researcher is signed in."""
    draft = kinds.make(
        "ternary",
        now=timezone.now(),
        launched=False,
        seconds=0.4,
        screening__volume=True,
        questionnaire__gender=True,
        crowd__source="prolific",
        **{"translations__zh-hans": {}},
    )
    Study.objects.filter(pk=draft.pk).update(owner=researcher("rosa"))
    draft.refresh_from_db()
    client = Client()
    assert draft.owner is not None
    client.force_login(draft.owner)
    cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": str(live_server)}
    context.add_cookies([cookie])  # type: ignore[list-item]
    return draft


def rate(page: Page | FrameLocator) -> None:
    """Hear a clip and answer by clicks."""
    expect(page.locator("#trial")).to_have_attribute("data-state", "ready")
    page.locator(".play").click()
    expect(page.locator("#trial")).to_have_attribute("data-state", "heard")
    page.get_by_role("radio", name="Machine").check()
    page.locator("textarea").fill(steps.REASON)
    page.locator("#save").click()


def test_a_draft_is_previewed_from_its_launch_page_to_its_last_page(page: Page, study: Study) -> None:
    page.goto(url("launch", study.slug))
    page.get_by_role("button", name="Preview as a rater").click()
    expect(page.get_by_text("Preview: nothing is kept")).to_be_visible()
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="I agree").click()
    expect(page.get_by_role("heading", name="Set your volume")).to_be_visible()
    page.get_by_role("button", name="Skip this step").click()
    page.get_by_role("button", name="Start", exact=True).click()
    rate(page)
    expect(page.locator("#where")).to_contain_text("2 of 5")
    expect(page.get_by_role("status")).to_be_empty()
    assert Answer.objects.count() == 1

    page.get_by_role("link", name="Phone").click()
    phone = page.frame_locator("iframe")
    assert page.locator("iframe").bounding_box() == {
        **page.locator("iframe").bounding_box(),
        "width": 390,
        "height": 844,
    }  # type: ignore[dict-item]
    expect(phone.locator("#where")).to_contain_text("2 of 5")
    expect(phone.locator(".preview-bar")).to_have_count(0)
    rate(phone)
    expect(phone.locator("#where")).to_contain_text("3 of 5")
    page.get_by_role("button", name="Next clip without listening").click()
    expect(phone.locator("#where")).to_contain_text("4 of 5")
    page.get_by_role("button", name="Skip this step").click()
    expect(phone.get_by_role("heading", name="A few questions about you")).to_be_visible()
    expect(page.get_by_role("button", name="Next clip without listening")).to_be_disabled()
    phone.get_by_role("button", name="Skip these questions").click()
    expect(phone.locator("#code")).to_have_text("DONE1")
    expect(page.get_by_role("button", name="Skip this step")).to_be_disabled()

    page.get_by_role("button", name="Start again").click()
    expect(phone.get_by_role("heading", name="Before you start")).to_be_visible()
    page.get_by_role("button", name="End preview").click()
    page.wait_for_url(f"**{url('launch', study.slug)}")
    assert not Session.objects.exists()
    assert Study.with_previews.count() == 1


def test_a_preview_is_started_again_in_another_language_of_the_study(page: Page, study: Study) -> None:
    page.goto(url("clips", study.slug))
    page.get_by_role("button", name="Preview as a rater").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    page.get_by_label("Language to start again in").select_option("zh-hans")
    page.get_by_role("button", name="Start again").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
    expect(page.get_by_text("Preview: nothing is kept")).to_be_visible()


def test_the_pages_of_a_preview_are_open_to_everybody(page: Page, study: Study) -> None:
    walk = Walk(page)
    walk.see("previews:start", slug=study.slug)
    page.get_by_role("button", name="Preview as a rater").click()
    walk.look("raters:consent")
    for name in ("check", "instructions", "trial"):
        # By keys alone.
        page.get_by_role("button", name="Skip this step").focus()
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/{name}/")
    expect(page.locator("#trial")).to_have_attribute("data-state", "ready")
    walk.look("raters:trial")
    page.get_by_role("link", name="Phone").click()
    expect(page.frame_locator("iframe").locator("#trial")).to_have_attribute("data-state", "ready")
    walk.look("previews:phone")
    page.goto(url("launch", study.slug))
    walk.look("studies:launch")
    study.clips.filter(role="trap_flawed").delete()
    page.get_by_role("button", name="Preview as a rater").click()
    expect(page.get_by_text("There are too few traps")).to_be_visible()
    walk.look("previews:start")
    walk.see("previews:dry_run", slug=study.slug)
    page.get_by_role("button", name="Simulate raters").click()
    expect(page.get_by_text("The dry run can’t start yet")).to_be_visible()
    walk.look("previews:dry_run")
    assert walk.wrong == []
    assert walk.missed("previews:") == {"previews:step", "previews:dry_run_progress", "previews:dry_run_delete"}


def test_a_draft_is_run_dry_by_clicks(page: Page, study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.nudge._send", lambda name, pk: None)
    walk = Walk(page)
    page.goto(url("launch", study.slug))
    page.locator("summary", has_text="Dry run").click()
    page.get_by_role("link", name="Open the dry run").click()
    page.get_by_label("Raters to simulate").fill("4")
    page.get_by_role("button", name="Simulate raters").click()
    expect(page.get_by_text("Raters are being simulated")).to_be_visible()
    walk.look("previews:dry_run")
    work_at_once(DryRun.task_name, DryRun.objects.get().pk)
    expect(page.get_by_role("heading", name="4 simulated raters")).to_be_visible()
    expect(page.get_by_role("row", name="alpha")).to_be_visible()
    walk.look("previews:dry_run")
    page.get_by_role("link", name="See the results page with simulated ratings").click()
    expect(page.get_by_role("heading", name="Scores (HLS) Simulated raters")).to_be_visible()
    page.get_by_role("navigation", name="Group the scores by").get_by_role("link").nth(1).click()
    expect(page.get_by_text("these scores say nothing about your clips")).to_be_visible()
    walk.look("analysis:dry_run_results")
    page.get_by_role("link", name="Back to the dry run").click()
    page.get_by_role("button", name="Delete this dry run").click()
    expect(page.get_by_text("The dry run was deleted.")).to_be_visible()
    expect(page.get_by_role("heading", name="4 simulated raters")).to_have_count(0)
    assert walk.wrong == []
    assert Study.with_previews.count() == 1

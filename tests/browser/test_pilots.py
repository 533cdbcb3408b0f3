"""A researcher tries a draft with a real person by clicks, ends the pilot and launches: the study has no answers."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Browser, BrowserContext, Page, expect

from raters.models import Batch, Session
from raters.pilots import services
from raters.rating import batches
from studies.models import Study
from tests import kinds
from tests.browser import steps
from tests.browser.looking import Walk
from tests.browser.test_preview import rate
from tests.researchers import researcher, url

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]


@pytest.fixture
def study(context: BrowserContext, live_server: Any, transactional_db: None) -> Study:
    """Return a draft whose researcher is signed in."""
    draft = kinds.make("ternary", now=timezone.now(), launched=False, seconds=0.4, crowd__source="prolific")
    Study.objects.filter(pk=draft.pk).update(owner=researcher("rosa"))
    draft.refresh_from_db()
    client = Client()
    assert draft.owner is not None
    client.force_login(draft.owner)
    cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": str(live_server)}
    context.add_cookies([cookie])  # type: ignore[list-item]
    return draft


def test_a_pilot_is_started_rated_looked_at_and_ended_by_clicks(
    page: Page, study: Study, browser: Browser, live_server: Any
) -> None:
    walk = Walk(page)
    page.goto(url("launch", study.slug))
    walk.look("studies:launch")
    page.locator("summary", has_text="Pilot").click()
    page.get_by_label("Raters of the pilot").fill("1")
    page.get_by_role("button", name="Start pilot").click()
    expect(page.get_by_text("The pilot is live.")).to_be_visible()
    expect(page.get_by_text("kept apart from the study’s data")).to_be_visible()
    walk.look("workspace:overview")
    page.get_by_role("link", name="Recruit", exact=True).click()
    pilot = Study.objects.get(pilot_of=study)
    expect(page.locator(f"input[value*='/s/{pilot.slug}/']").first).to_be_visible()

    visitor = browser.new_context()
    theirs = visitor.new_page()
    theirs.goto(str(live_server) + steps.link(pilot))
    theirs.get_by_label("I have read this").check()
    theirs.get_by_role("button", name="I agree").click()
    theirs.get_by_role("button", name="Start").click()
    size = pilot.definition.protocol
    for number in range(size.tests_per_batch + size.flawed_traps + size.human_traps):
        expect(theirs.locator("#where")).to_contain_text(f"{number + 1} of")
        rate(theirs)
    expect(theirs.locator("#code")).to_have_text(pilot.definition.crowd.completion_code)
    visitor.close()
    for pk in Batch.objects.filter(state="queued").values_list("pk", flat=True):
        batches.validate(pk=pk, now=timezone.now())

    page.goto(reverse("workspace:overview", args=[study.slug]))
    expect(page.get_by_text("1 of 1", exact=True)).to_be_visible()
    walk.look("workspace:overview")
    page.locator(".ws-pilots").get_by_role("link", name="Results").click()
    expect(page.get_by_text("kept apart from the study’s data")).to_be_visible()
    walk.look("analysis:study")
    page.get_by_role("link", name="Back to the study").click()
    page.get_by_role("button", name="End pilot").click()
    expect(page.get_by_text("The study is a draft again.")).to_be_visible()
    assert services.end_full(now=timezone.now()) == 0
    page.goto(url("launch", study.slug))
    page.get_by_role("button", name="Launch", exact=True).click()
    expect(page.get_by_text("The study is live: raters can start")).to_be_visible()
    page.get_by_role("link", name="Live", exact=True).first.click()
    assert Session.objects.filter(study=study).count() == 0
    page.goto(reverse("workspace:overview", args=[study.slug]))
    page.get_by_text("Delete this pilot").click()
    page.get_by_label(f"Type {pilot.slug} to confirm").fill(pilot.slug)
    page.get_by_role("button", name="Delete pilot").click()
    expect(page.get_by_text("Pilot 1 was deleted with its answers.")).to_be_visible()
    assert not Session.objects.exists()
    assert walk.wrong == []

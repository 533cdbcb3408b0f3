"""The API's page: every operation, from this server's own files, to be tried by whoever is signed in."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from playwright.sync_api import BrowserContext, Page, expect

from studies.models import Study
from tests.browser.looking import look
from tests.researchers import researcher

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]
MAKE = "#operations-studies-post_studies"


def signed_in(context: BrowserContext, address: str) -> None:
    """Sign Rita in."""
    client = Client()
    client.force_login(researcher("rita"))
    context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": address}])


def test_an_operation_is_tried_as_oneself(page: Page, context: BrowserContext, live_server: object) -> None:
    signed_in(context, str(live_server))
    page.goto("/api/v1/docs")
    expect(page.get_by_text("You are signed in as rita")).to_be_visible()
    page.locator(f"{MAKE} .opblock-summary-control").click()
    page.locator(f"{MAKE} .try-out__btn").click()
    page.locator(f"{MAKE} textarea").fill('{"slug": "tried", "title": "Tried"}')
    page.locator(f"{MAKE} .execute").click()
    expect(page.locator(f"{MAKE} .live-responses-table .response-col_status").nth(1)).to_have_text(re.compile("^201"))
    assert Study.objects.get().slug == "tried"


def test_a_token_is_made_by_hand_and_shown_to_be_copied(
    page: Page, context: BrowserContext, live_server: object
) -> None:
    signed_in(context, str(live_server))
    page.goto("/admin/accounts/apitoken/add/")
    wrong = look(page, narrow=False)
    page.get_by_label("Name").fill("nightly export")
    page.get_by_label("results:read").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_label("The token")).to_have_value(re.compile("^esh_"))
    expect(page.get_by_role("button", name="Copy")).to_be_visible()
    wrong += look(page)
    assert wrong == [], "\n".join(wrong)


def test_the_page_of_the_api_reads_at_every_width(page: Page) -> None:
    page.goto("/api/v1/docs")
    expect(page.locator(MAKE)).to_be_visible()
    # A button inside a button is Swagger UI's own way of making a row that opens.
    assert [line for line in look(page) if "nested-interactive" not in line] == []

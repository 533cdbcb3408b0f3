"""The rater's pages as assistive technology meets them."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.utils import timezone
from playwright.sync_api import Page, expect

from tests import world

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]


def check(page: Page) -> None:
    found = Axe().run(page).response["violations"]
    assert [(rule["id"], [node["target"] for node in rule["nodes"]]) for rule in found] == []


@pytest.mark.parametrize("language", ["en", "zh-hans", "ar"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_rater_page_shuts_anybody_out(page: Page, files: Any, language: str, scheme: Any) -> None:
    study = world.make_study(now=timezone.now(), texts=8, texts__language=language)
    page.emulate_media(color_scheme=scheme)
    page.goto("/")
    check(page)
    page.goto(f"/s/{study.slug}/")
    check(page)
    page.goto(f"/s/{study.slug}/?PROLIFIC_PID=p&STUDY_ID=e&SESSION_ID=s")
    check(page)
    page.locator("button[value=agree]").click()
    check(page)
    page.locator("#agreed").check()
    page.locator("button[value=agree]").click()
    page.wait_for_url("**/instructions/")
    check(page)
    page.locator("form .button").click()
    expect(page.locator("#trial")).to_have_attribute("data-state", "ready")
    check(page)
    page.locator(".play").click()
    expect(page.locator("#trial")).to_have_attribute("data-state", "heard")
    page.locator("#save").click()
    expect(page.locator("#label-problem")).to_be_visible()
    check(page)
    page.locator("[data-open=help]").click()
    check(page)
    page.goto(f"/rate/{study.slug}/leave/")
    check(page)
    page.locator(".danger").click()
    page.wait_for_url("**/end/")
    check(page)

"""Scales on the page Design by real clicks: added, written, removed and brought back."""

from __future__ import annotations

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from accounts.models import User
from studies.launch import states
from studies.models import Study
from tests.browser.looking import look
from tests.browser.test_design import open_design
from tests.browser.test_researcher import log_in

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]


def names(study: Study) -> list[str]:
    study.refresh_from_db()
    return [scale.name for scale in study.definition.params.scales]


def saved(page: Page) -> None:
    expect(page.locator("[data-status]")).to_contain_text("Saved at")


def test_a_scale_is_added_with_its_question_and_labels_removed_and_brought_back(page: Page) -> None:
    log_in(page)
    owner = User.objects.get(username="rita")
    study = states.create_study(
        slug="own", title="Own scales", preset="scales", owner=owner, changes={}, now=timezone.now()
    )
    open_design(page, study)
    page.get_by_role("button", name="Add a question").click()
    item = page.locator("[data-item]").nth(2)
    item.get_by_label("Question").fill("How much effort did it take to follow?")
    expect(page.locator("#task__scales-problem")).to_contain_text("Name")
    assert names(study) == ["Naturalness", "Intelligibility"]
    item.get_by_label("Name", exact=True).fill("Effort")
    item.get_by_label("Labels").fill("No effort\nGreat effort")
    item.get_by_label("High").fill("7")
    item.get_by_label("High").blur()
    saved(page)
    expect(page.locator("#task__scales-problem")).to_be_hidden()
    assert names(study) == ["Naturalness", "Intelligibility", "Effort"]
    effort = study.definition.params.scales[2]
    assert (effort.labels, effort.high, effort.question) == (
        ("No effort", "Great effort"),
        7.0,
        "How much effort did it take to follow?",
    )
    assert look(page) == []
    page.reload()
    expect(page.locator("[data-item]")).to_have_count(3)
    page.locator("[data-item]").first.get_by_role("button", name="Remove this scale").click()
    saved(page)
    expect(page.locator("[data-item]")).to_have_count(2)
    assert names(study) == ["Intelligibility", "Effort"]
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("[data-item]")).to_have_count(3)
    expect(page.locator("[data-item]").first.get_by_label("Name", exact=True)).to_have_value("Naturalness")
    expect(page.locator("[data-status]")).to_contain_text("Undone")
    assert names(study) == ["Naturalness", "Intelligibility", "Effort"]

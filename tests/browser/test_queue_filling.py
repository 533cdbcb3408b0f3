"""What an expert sees while new answers are on their way into the queue, and when no worker brings them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from core import clock
from raters.experts import answers
from raters.models import QueueFill
from studies.models import Study
from tests.browser.looking import look
from tests.browser.test_review import sign_in, state
from tests.raters.experts.people import expert as new_expert
from tests.raters.experts.reviewing import empty_queues, fill_queues, rated_study

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]


@pytest.fixture
def study() -> Study:
    study = rated_study(timezone.now(), people=2)
    empty_queues(study)
    return study


def test_an_empty_page_says_what_it_waits_for_and_since_when_until_a_worker_comes(page: Page, study: Study) -> None:
    eva = new_expert("eva", study)
    eva.is_superuser = True
    eva.save(update_fields=["is_superuser"])
    sign_in(page, "eva", study)
    state(page, "finished")
    why, link = page.locator("[data-part=finished-why]"), page.get_by_role("link", name="System status")
    expect(why).to_have_text("Earshot is looking for new answers. This page updates automatically.")
    expect(link).to_be_hidden()
    since = clock.now() - answers.PATIENCE - timedelta(minutes=5)
    QueueFill.objects.update(queued_at=since)
    expect(why).to_contain_text("The queue has been waiting for new answers since")
    expect(link).to_be_visible()
    assert link.get_attribute("href") == reverse("status")
    look(page)
    fill_queues()
    # Without a reload, and without a click.
    state(page, "item")

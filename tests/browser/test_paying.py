"""The pages of pay, from nothing linked to a list that was carried out, looked at as every other page is."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from core import clock
from raters.models import FairCheck, PaymentList, PlatformStudy, Session
from raters.payments.payment_lists import suggestion
from raters.sessions import attention
from tests.browser.looking import Walk
from tests.raters.payments.world import World, make
from tests.workers import work_at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]
# Forms alone, which lead back to a page, and what is for machines.
NOT_PAGES = {
    "paying:link",
    "paying:unlink",
    "paying:read",
    "paying:upload",
    "paying:decide",
    "paying:prepare",
    "paying:put_on",
    "paying:take_off",
    "paying:confirm",
    "paying:drop",
    "paying:go_on",
    "paying:resolve",
    "paying:hook",
}
Outcome = Session.Outcome


@pytest.fixture
def world(
    context: BrowserContext, live_server: Any, transactional_db: None, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> World:
    """Return a study whose researcher is signed in, beside a worker that works at once."""
    made = make(timezone.now() - timedelta(hours=1), payment__rate=3, payment__screened_out_rate=0.5)
    settings.PROLIFIC_TOKEN = "t"
    monkeypatch.setattr("raters.sources.prolific.ProlificPayments.client", lambda self: made.fake.api)
    monkeypatch.setattr("core.nudge._send", work_at_once)
    monkeypatch.setattr(clock, "now", made.clock)
    client = Client()
    client.force_login(made.user)
    cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": str(live_server)}
    context.add_cookies([cookie])  # type: ignore[list-item]
    return made


def people(world: World) -> None:
    """Let people come, end in every way, and hand in what they like."""
    for name in ("ann", "bob", "cem"):
        world.finish(name)
    world.finish("dan", code=None)
    world.finish("eva", Outcome.SCREENED_OUT)
    world.finish("guy", Outcome.TECHNICAL_FAILURE)
    failed = world.finish("fay", Outcome.FAILED_ATTENTION)
    for block in ("page 1", "page 2"):
        attention.store_check(
            session_id=failed.session.pk,
            kind=FairCheck.Kind.INSTRUCTION,
            block=block,
            asked="Please choose Unclear here.",
            answered="Human",
            passed=False,
            now=world.now,
        )
    world.there(world.arrive("hal").start()).status = "RETURNED"
    world.fake.submission("s-nobody").hand_in("DONE-1")


def test_people_are_paid_from_pages_that_are_open_to_everybody(page: Page, world: World) -> None:
    walk = Walk(page)
    PlatformStudy.objects.all().delete()
    walk.see("paying:overview", slug=world.study.slug)
    people(world)
    page.reload()
    page.get_by_role("button", name="Link study ext").click()
    expect(page.get_by_text("Updated 2")).to_be_visible()
    walk.look("paying:overview")
    page.get_by_role("link", name="Any difference").click()
    expect(page.get_by_text("Submitted, but no session in Earshot").last).to_be_visible()
    page.get_by_role("button", name="Prepare a list: Reject").click()
    expect(page.locator("#message")).to_have_value(suggestion("reject"))
    walk.look("paying:listed")
    page.goto(reverse("paying:overview", args=[world.study.slug]))
    page.get_by_role("button", name="Prepare a list: Approve").click()
    expect(page.get_by_text("4 people")).to_be_visible()
    walk.look("paying:listed")
    page.get_by_label("I have checked this list").check()
    page.get_by_role("button", name="Confirm list").click()
    expect(page.get_by_role("heading", name="Carried out")).to_be_visible()
    walk.look("paying:listed")
    approved = [each for each in world.fake.account.submissions.values() if each.status == "APPROVED"]
    assert len(approved) == 4
    listed = PaymentList.objects.get(kind="approve")
    listed.payments.update(state="unclear", error="The connection was lost before the platform replied.")
    walk.see("paying:listed", slug=world.study.slug, pk=listed.pk)
    assert walk.wrong == []
    assert walk.missed("paying:") - NOT_PAGES == set()

"""Experts at the justification review, by keyboard alone."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Browser, Page, Route, expect

from accounts.models import User
from raters.models import Answer, Review, ReviewItem, Trial
from studies.models import Study
from tests.browser.looking import look
from tests.browser.steps import wait_until
from tests.raters.experts.people import expert
from tests.raters.experts.reviewing import answers, empty_queues, fill_queues, rated_study

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]
FITS = "A real person: I hear the breath before each sentence"
MISFITS = "A robot: every word is flat and metallic"


def plant(study: Study, every: int = 3) -> set[int]:
    """Write reasons that fit their label, but for every third, and return the answers that don't."""
    wrong = set()
    for index, answer in enumerate(answers(study)):
        is_wrong = index % every == 0
        Answer.objects.filter(pk=answer.pk).update(reason=f"{MISFITS if is_wrong else FITS}, number {index}.")
        if is_wrong:
            wrong.add(answer.pk)
    # As if they had been written like this before a worker flagged them.
    empty_queues(study)
    fill_queues()
    return wrong


def sign_in(page: Page, name: str, study: Study) -> None:
    page.goto(reverse("experts:review", args=[study.slug]))
    page.get_by_label("Name").or_(page.get_by_label("Username")).fill(name)
    page.get_by_label("Password").fill("pw")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Sign out").or_(page.locator(".ws-account"))).to_be_visible()


def state(page: Page, name: str) -> None:
    expect(page.locator("#review")).to_have_attribute("data-state", name)


def reason(page: Page) -> str:
    return page.locator("[data-part=reason]").inner_text()


def decide_all(page: Page) -> int:
    """Decide by keys whatever is shown, by what it says, until nothing waits; return how many that were."""
    count = 0
    while True:
        page.wait_for_function("() => ['item', 'finished'].includes(document.querySelector('#review').dataset.state)")
        if page.locator("#review").get_attribute("data-state") == "finished":
            return count
        page.keyboard.press("2" if "robot" in reason(page) else "1")
        count += 1


def stored(page: Page, number: int) -> None:
    """Wait until so many decisions are stored; the last one may still be on its way."""
    wait_until(page, lambda: Review.objects.count() == number, f"not {number} decisions are stored")


@pytest.fixture
def study() -> Study:
    return rated_study(timezone.now(), people=2)


@pytest.fixture
def long_clips() -> Study:
    """Return the same with clips so long that a play is still under way when the test looks."""
    return rated_study(timezone.now(), people=2, seconds=4.0)


def test_an_expert_decides_undoes_and_puts_off_by_keys_alone(page: Page, long_clips: Study) -> None:
    study = long_clips
    wrong = plant(study)
    eva = expert("eva", study)
    sign_in(page, "eva", study)
    state(page, "item")
    expect(page.locator("#progress")).to_contain_text("0 of 14 decided")
    first = reason(page)
    expect(page.locator(".play")).to_have_attribute("aria-disabled", "false")
    page.keyboard.press("Space")
    expect(page.locator(".player")).to_have_attribute("data-state", "playing")
    page.keyboard.press("n")
    page.keyboard.type("1 is no key in here")
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    expect(page.locator("#status")).to_contain_text("Saved: Inconsistent")
    expect(page.locator("#progress")).to_contain_text("1 of 14 decided · 1 by you today")
    made = Review.objects.get()
    assert (made.expert, made.decision, made.note) == (eva, "inconsistent", "1 is no key in here")
    assert made.answer.reason == first
    second = reason(page)
    assert second != first
    expect(page.locator("#note")).to_have_value("")
    page.keyboard.press("u")
    expect(page.locator("[data-part=reason]")).to_have_text(first)
    expect(page.locator("#status")).to_contain_text("Decision undone")
    assert Trial.objects.get(pk=made.answer_id).usable is True
    page.keyboard.press("3")
    expect(page.locator("[data-part=reason]")).to_have_text(second)
    page.keyboard.press("s")
    expect(page.locator("#status")).to_contain_text("Skipped")
    assert reason(page) not in {first, second}
    assert decide_all(page) == 13
    expect(page.get_by_text("Reasons that you have decided: 14")).to_be_visible()
    expect(page.locator("#progress")).to_contain_text("14 of 14 decided")
    assert Review.objects.filter(revoked_at=None).latest("pk").answer.reason == second
    decided = Review.objects.filter(revoked_at=None, decision="inconsistent").exclude(answer=made.answer_id)
    assert set(decided.values_list("answer", flat=True)) == wrong - {made.answer_id}
    page.keyboard.press("u")
    state(page, "item")
    expect(page.locator("[data-part=reason]")).to_have_text(second)


def test_keys_can_be_switched_off_and_buttons_do_the_same(page: Page, study: Study) -> None:
    expert("eva", study)
    sign_in(page, "eva", study)
    state(page, "item")
    page.locator("#shortcuts").uncheck()
    page.keyboard.press("1")
    page.reload()
    state(page, "item")
    page.keyboard.press("2")
    page.get_by_role("button", name="Cannot tell").click()
    expect(page.locator("#status")).to_contain_text("Saved: Cannot tell")
    assert list(Review.objects.values_list("decision", flat=True)) == ["cannot_tell"]
    # The button that was pressed is not pressed again by Space.
    page.keyboard.press("Space")
    assert Review.objects.count() == 1


def test_the_next_item_is_there_with_its_audio_before_the_answer_of_the_server(page: Page, study: Study) -> None:
    expert("eva", study)
    held: list[Route] = []
    page.route("**/api/decide/*", lambda route: held.append(route))
    sign_in(page, "eva", study)
    state(page, "item")
    expect(page.locator(".play")).to_have_attribute("aria-disabled", "false")
    page.wait_for_load_state("networkidle")
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.keyboard.press("1")
    expect(page.locator(".player")).to_have_attribute("data-state", "ready")
    page.keyboard.press("Space")
    expect(page.locator(".player")).to_have_attribute("data-state", "playing")
    assert not [url for url in requests if "/audio/" in url]
    held[0].continue_()
    expect(page.locator("#status")).to_contain_text("Saved")


def test_without_a_connection_what_was_decided_waits_and_goes_out_once(page: Page, study: Study) -> None:
    expert("eva", study)
    sent: list[str] = []

    def lose(route: Route) -> None:
        # The server stores it, but its answer never comes back.
        if not sent:
            route.fetch()
        sent.append(route.request.url)
        route.abort()

    # Before the page is loaded: a page that is already there may send its next request past a new route.
    page.route("**/api/decide/*", lose)
    sign_in(page, "eva", study)
    state(page, "item")
    page.keyboard.press("2")
    expect(page.locator("#status")).to_contain_text("No connection")
    page.unroute("**/api/decide/*")
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.locator("#status")).to_contain_text("Saved: Inconsistent")
    assert sent
    assert Review.objects.count() == 1


def test_a_portal_that_answers_everything_with_its_own_page_loses_nothing(page: Page, study: Study) -> None:
    expert("eva", study)
    page.route("**/api/decide/*", lambda route: route.fulfill(status=200, content_type="text/html", body="<p>Pay</p>"))
    sign_in(page, "eva", study)
    state(page, "item")
    page.keyboard.press("1")
    expect(page.locator("#status")).to_contain_text("No connection")
    page.unroute("**/api/decide/*")
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.locator("#status")).to_contain_text("Saved: Consistent")


def test_an_answer_that_somebody_else_decided_is_told_and_the_queue_goes_on(page: Page, study: Study) -> None:
    expert("eva", study)
    sign_in(page, "eva", study)
    state(page, "item")
    ReviewItem.objects.exclude(key="").update(held_until=timezone.now(), holder=expert("otto", study), key="")
    page.keyboard.press("1")
    expect(page.locator("#status")).to_contain_text("Somebody else is working on this one")
    decide_all(page)
    expect(page.locator("#progress")).to_contain_text("14 of 14 decided")
    assert Review.objects.count() == 14


def test_an_expert_who_is_let_out_is_told_so(page: Page, study: Study) -> None:
    eva = expert("eva", study)
    sign_in(page, "eva", study)
    state(page, "item")
    eva.expert_in.update(revoked_at=timezone.now())
    page.keyboard.press("1")
    state(page, "stopped")
    expect(page.get_by_text("You no longer have access to this study")).to_be_visible()
    assert not Review.objects.exists()


def test_two_experts_and_an_adjudicator_find_the_thirty_planted_reasons(browser: Browser, live_server: Any) -> None:
    study = rated_study(timezone.now(), people=5, texts=24, review__double_share=0.4)
    wrong = plant(study)
    for name in ("eva", "otto", "mia"):
        expert(name, study)
    flip = set(answers(study).values_list("pk", flat=True)[1:8])
    pages = {}
    for name in ("eva", "otto", "mia"):
        window = browser.new_context(base_url=str(live_server))
        pages[name] = window.new_page()
    sign_in(pages["eva"], "eva", study)
    assert decide_all(pages["eva"]) == 35
    stored(pages["eva"], 35)
    halves = set(ReviewItem.objects.filter(state="half").values_list("pk", flat=True))
    assert len(halves) > 5
    sign_in(pages["otto"], "otto", study)
    otto = pages["otto"]
    number = 0
    while True:
        otto.wait_for_function("() => ['item', 'finished'].includes(document.querySelector('#review').dataset.state)")
        if otto.locator("#review").get_attribute("data-state") == "finished":
            break
        said = reason(otto)
        otto.keyboard.press("1" if "robot" in said or number % 4 else "2")
        number += 1
    assert number == len(halves)
    stored(otto, 35 + number)
    disputed = set(ReviewItem.objects.filter(state="disputed").values_list("pk", flat=True))
    assert disputed >= halves & wrong
    mia = pages["mia"]
    sign_in(mia, "mia", study)
    expect(mia.get_by_text("Two experts disagree about this one")).to_be_visible()
    assert decide_all(mia) == len(disputed)
    unusable = Trial.objects.filter(usable=False, item__role="test").values_list("pk", flat=True)
    agreed = set(ReviewItem.objects.filter(decision="inconsistent").values_list("pk", flat=True))
    assert set(unusable) == agreed >= wrong
    assert agreed - wrong <= flip | halves
    for tab in pages.values():
        tab.context.close()


def test_a_hundred_reasons_are_reviewed_by_keys_alone(page: Page) -> None:
    study = rated_study(timezone.now(), people=15, texts=40, seconds=0.2)
    wrong = plant(study)
    expert("eva", study)
    sign_in(page, "eva", study)
    played = 0
    for number in range(105):
        page.wait_for_function("() => document.querySelector('#review').dataset.state === 'item'")
        if number % 15 == 0:
            # Now and then the clip is heard, too: it is there at once.
            page.keyboard.press("Space")
            expect(page.locator(".player")).to_have_attribute("data-state", "playing")
            played += 1
        page.keyboard.press("2" if "robot" in reason(page) else "1")
    state(page, "finished")
    expect(page.get_by_text("Reasons that you have decided: 105")).to_be_visible()
    expect(page.locator("#progress")).to_contain_text("105 of 105 decided")
    assert set(Review.objects.filter(decision="inconsistent").values_list("answer", flat=True)) == wrong
    assert (Review.objects.count(), played) == (105, 7)


def test_the_pages_of_experts_are_open_to_everybody(page: Page, study: Study) -> None:
    from studies.decisions import experts

    plant(study)
    study.owner = User.objects.create_superuser("root", password="pw")
    study.save()
    link = reverse("experts:invitation", args=[experts.invite(study=study, by=None, now=timezone.now())[1]])
    wrong: list[str] = []
    for address in (link, reverse("experts:invitation", args=["x" * 22]), reverse("experts:sign_in")):
        page.goto(address)
        wrong += look(page)
    page.goto(link)
    page.get_by_role("button", name="Create account").click()
    wrong += look(page)
    sign_in(page, "root", study)
    state(page, "item")
    wrong += look(page)
    for name in ("finished", "stopped", "loading"):
        page.evaluate(
            "name => document.querySelectorAll('[data-panel]').forEach(p => { p.hidden = p.dataset.panel !== name })",
            name,
        )
        wrong += look(page)
    page.reload()
    state(page, "item")
    page.keyboard.press("2")
    expect(page.locator("#status")).to_contain_text("Saved")
    page.goto(reverse("experts:review_overview", args=[study.slug]))
    wrong += look(page)
    page.goto(reverse("experts:index"))
    wrong += look(page)
    page.goto(link)
    wrong += look(page)
    expert("eva", study)
    page.goto(reverse("studies:experts", args=[study.slug]))
    page.get_by_role("button", name="Create link").click()
    expect(page.locator("#invitation")).to_have_value(re.compile(r"/experts/invitation/[\w-]{22}/$"))
    wrong += look(page)
    assert wrong == []

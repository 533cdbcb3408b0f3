"""Experts at the spot check before a launch, by keyboard alone."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Browser, Page, Route, expect

from accounts.models import User
from studies.models import Clip, SpotDecision, SpotItem, Study
from studies.spot_checks import checking as spot_checking
from tests.browser.looking import look
from tests.raters.experts.people import expert
from tests.studies.spot_checks.checking import decide, decide_all, draft, item_of, offered, with_takes

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]


@pytest.fixture
def study() -> Study:
    study = with_takes(draft(timezone.now(), texts=8, seconds=4.0))
    Clip.objects.filter(study=study).update(language="en")
    return study


def sign_in(page: Page, name: str, study: Study) -> None:
    page.goto(reverse("experts:spot_check", args=[study.slug]))
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill("pw")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Sign out").or_(page.locator(".ws-account"))).to_be_visible()


def state(page: Page, name: str) -> None:
    expect(page.locator("#spot-check")).to_have_attribute("data-state", name)


def question(page: Page) -> str:
    return page.locator("#question").inner_text()


def settled(page: Page) -> str:
    """Wait until there is an item, or nothing is left, and return which."""
    page.wait_for_function("() => ['item', 'finished'].includes(document.querySelector('#spot-check').dataset.state)")
    return str(page.locator("#spot-check").get_attribute("data-state"))


def listen(page: Page) -> None:
    """Play every clip of the item by keys."""
    players = page.locator(".player")
    keys = ["Space"] if players.count() == 1 else "ab"
    for player, key in zip(players.all(), keys, strict=True):
        expect(player.locator(".play")).to_have_attribute("aria-disabled", "false")
        page.keyboard.press(key)
        expect(player).to_have_attribute("data-state", "playing")
    expect(page.locator("#play-first")).to_be_hidden()


def decide_all_by_keys(page: Page, bad: str = "1") -> int:
    """Find everything in order, but for the first item; return how many that were."""
    number = 0
    while settled(page) == "item":
        listen(page)
        page.keyboard.press("1" if number else bad)
        number += 1
    return number


def test_an_expert_checks_undoes_and_puts_off_by_keys_alone(page: Page, study: Study) -> None:
    eva = expert("eva", study)
    sign_in(page, "eva", study)
    state(page, "item")
    expect(page.locator("#progress")).to_contain_text("0 of 6 decided")
    assert question(page) == "Did the synthesis succeed?"
    expect(page.locator("[data-part=text]")).to_contain_text("Sentence number")
    expect(page.locator("[data-part=language]")).to_have_text("en")
    expect(page.get_by_role("button", name="In order")).to_be_visible()
    expect(page.get_by_role("button", name="Yes")).to_be_hidden()
    expect(page.locator(".play").first).to_have_attribute("aria-disabled", "false")
    # Nothing is decided on a clip that was not played, and the page says why.
    expect(page.locator("#play-first")).to_have_text("Play the clip first, then decide.")
    expect(page.get_by_role("button", name="In order")).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("1")
    expect(page.locator("#status")).to_have_text("Play the clip first, then decide.")
    assert look(page) == []
    listen(page)
    expect(page.get_by_role("button", name="In order")).to_have_attribute("aria-disabled", "false")
    # "Something else" wants a note.
    page.keyboard.press("8")
    expect(page.locator("#note")).to_be_focused()
    expect(page.locator("#status")).to_contain_text("Write in the note what is wrong")
    page.keyboard.type("1 hum")
    page.keyboard.press("Escape")
    page.keyboard.press("8")
    expect(page.locator("#status")).to_contain_text("Saved: Something else")
    expect(page.locator("#note")).to_have_value("")
    made = SpotDecision.objects.get()
    assert (made.expert, made.code, made.note) == (eva, "other", "1 hum")
    page.keyboard.press("9")
    page.keyboard.press("u")
    expect(page.locator("#status")).to_contain_text("Decision undone")
    made.refresh_from_db()
    assert made.revoked_at is not None
    page.keyboard.press("s")
    expect(page.locator("#status")).to_contain_text("Skipped")
    for _ in range(4):
        assert settled(page) == "item"
        listen(page)
        page.keyboard.press("1")
    expect(page.locator("#question")).to_have_text("Could these be the same voice?")
    expect(page.get_by_role("group", name="Clip B")).to_be_visible()
    expect(page.get_by_role("button", name="In order")).to_be_hidden()
    # Both takes may have been items of their own, and were played then.
    hint = page.locator("#play-first")
    expect(hint).to_have_text(re.compile("^(Play every clip first, then decide.)?$"))
    page.keyboard.press("a")
    expect(page.get_by_role("group", name="Clip A")).to_have_attribute("data-state", "playing")
    page.keyboard.press("b")
    expect(page.get_by_role("group", name="Clip B")).to_have_attribute("data-state", "playing")
    expect(page.get_by_role("group", name="Clip A")).to_have_attribute("data-state", "ready")
    expect(page.locator("#play-first")).to_be_hidden()
    page.keyboard.press("4")
    page.keyboard.press("2")
    expect(page.locator("#question")).to_have_text("Did the synthesis succeed?")
    page.keyboard.press("3")
    expect(page.get_by_text("Items that you have decided: 6")).to_be_visible()
    codes = list(SpotDecision.objects.filter(revoked_at=None).order_by("pk").values_list("code", flat=True))
    assert codes == ["ok"] * 4 + ["no", "incomplete"]
    page.keyboard.press("u")
    state(page, "item")


def test_the_next_clip_is_there_before_the_answer_of_the_server(page: Page, study: Study) -> None:
    expert("eva", study)
    held: list[Route] = []
    page.route("**/api/decide/*", lambda route: held.append(route))
    sign_in(page, "eva", study)
    state(page, "item")
    page.wait_for_load_state("networkidle")
    listen(page)
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.keyboard.press("1")
    expect(page.locator(".player")).to_have_attribute("data-state", "ready")
    assert not [url for url in requests if "/audio/" in url]
    assert not SpotDecision.objects.exists()
    held[0].continue_()
    expect(page.locator("#status")).to_contain_text("Saved: In order")


def test_two_experts_a_third_and_the_researcher_bring_a_study_to_its_launch(
    browser: Browser, live_server: Any, study: Study
) -> None:
    study.owner = User.objects.create_superuser("root", password="pw")
    study.save()
    for name, bad in (("eva", "4"), ("otto", "1"), ("mia", "6")):
        expert(name, study)
        window = browser.new_context(base_url=str(live_server))
        page = window.new_page()
        sign_in(page, name, study)
        state(page, "item")
        if name == "mia":
            expect(page.get_by_text("Experts disagree about this one")).to_be_visible()
            expect(page.locator("[data-part=decision-list] li")).to_have_text(["In order", "Wrong language"])
        assert decide_all_by_keys(page, bad) == (1 if name == "mia" else 6)
        expect(page.get_by_text("Nothing to do at the moment")).to_be_visible()
        page.wait_for_load_state("networkidle")
        window.close()
    window = browser.new_context(base_url=str(live_server))
    page = window.new_page()
    sign_in(page, "root", study)
    page.goto(reverse("studies:launch", args=[study.slug]))
    expect(page.get_by_text("1 item failed the spot check")).to_be_visible()
    page.get_by_role("link", name="Results of the spot check").click()
    page.get_by_role("button", name="Withdraw").click()
    expect(page.get_by_role("status")).to_contain_text("is withdrawn")
    page.goto(reverse("studies:launch", args=[study.slug]))
    page.get_by_role("button", name="Launch").click()
    expect(page.get_by_text("The study is live: raters")).to_be_visible()
    window.close()
    study.refresh_from_db()
    assert study.state == "live"


def test_the_pages_of_the_spot_check_are_open_to_everybody(page: Page, study: Study) -> None:
    study.owner = User.objects.create_superuser("root", password="pw")
    study.save()
    spot_checking.fill(study=study)
    # What otto looks at in the end is free again by now.
    now = timezone.now() - timedelta(hours=1)
    disputed = SpotItem.objects.filter(kind="success").order_by("order").first()
    # Both forms, and what was disputed, wait for the owner; the rest fails.
    decide_all(study, expert("eva", study), now, lambda item: "no" if item.kind == "consistency" else "wrong_words")
    otto = expert("otto", study)
    while (card := offered(study, otto, now)) and card.shown["kind"] == "success":
        decide(study, otto, now, "ok" if item_of(card) == disputed else "incomplete")
    sign_in(page, "root", study)
    state(page, "item")
    expect(page.get_by_text("Experts disagree about this one")).to_be_visible()
    wrong = look(page)
    listen(page)
    page.keyboard.press("2")
    expect(page.locator("#question")).to_have_text("Could these be the same voice?")
    wrong += look(page)
    for name in ("finished", "stopped", "loading"):
        page.evaluate(
            "name => document.querySelectorAll('[data-panel]').forEach(p => { p.hidden = p.dataset.panel !== name })",
            name,
        )
        wrong += look(page)
    page.goto(reverse("experts:spot_check_overview", args=[study.slug]))
    expect(page.get_by_role("button", name="Withdraw").first).to_be_visible()
    wrong += look(page)
    page.goto(reverse("studies:launch", args=[study.slug]))
    wrong += look(page)
    Study.objects.filter(pk=study.pk).update(state="live")
    page.goto(reverse("experts:spot_check", args=[study.slug]))
    wrong += look(page)
    assert wrong == []

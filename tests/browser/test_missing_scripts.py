"""A script that doesn't load: nothing can be sent without it, and the page loads again once, then says what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, Request, Route, expect

from core.paths import ROOT
from raters.models import Answer, CheckResult, Session
from studies import task_types
from tests import kinds
from tests.browser.looking import look
from tests.browser.steps import in_state, is_at, listen, make_study, open_trial, rate
from tests.browser.test_screening import CODES, agree, answer, open_check
from tests.raters.sessions.screening.listener import ALL
from tests.raters.sessions.screening.listener import make_study as with_checks
from tests.raters.sessions.test_scripts import with_imports

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]
MISSING = "This page didn’t load fully"
TRIAL = sorted(with_imports("/static/js/rater/trial.js") | with_imports("/static/js/task_types/ternary.js"))


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """Open a tab where scripts may break: that is the point."""
    return context.new_page()


def soon(route: Route) -> None:
    """Send the guard with a shorter pause, so that a test need not wait as long as a rater."""
    source = (ROOT / "static" / "js" / "rater" / "guard.js").read_text(encoding="utf-8")
    script, changed = re.subn(r"const PAUSE = 2_000;", "const PAUSE = 50;", source)
    assert changed == 1
    route.fulfill(content_type="text/javascript", body=script)


@contextmanager
def without(page: Page, script: str, times: int | None = None) -> Iterator[None]:
    """Let a script fail, always or so many times."""
    page.route(f"**{script}*", lambda route: route.fulfill(status=503, body=""), times=times)
    yield
    page.unroute(f"**{script}*")


def is_refused(page: Page) -> None:
    """Try to send every form that the page shows; it must not let it."""
    address = page.url
    # Before its style sheet arrives, a page seems to show the notice; it may then still load itself again.
    for _load in range(2):
        expect(page.get_by_text(MISSING)).to_be_visible()
        page.wait_for_load_state()
    for button in page.locator("main form button:visible").all():
        button.click(force=True)
    for form in page.locator("main form").all():
        form.evaluate("form => form.method !== 'post' && form.requestSubmit()")
    page.keyboard.press("Control+Enter")
    page.wait_for_timeout(100)
    assert page.url == address


@pytest.mark.parametrize("script", TRIAL)
def test_without_any_one_of_its_scripts_the_trial_page_sends_nothing_and_says_so(page: Page, script: str) -> None:
    study = make_study()
    page.route("**/rater/guard*.js", soon)
    loads = 0

    def count(request: Request) -> None:
        nonlocal loads
        loads += request.is_navigation_request() and request.url.endswith("/trial/")

    page.on("request", count)
    with without(page, script):
        open_trial(page, study)
        # Loaded once more by itself, and no more often.
        for _ in range(600):
            if loads == 2:
                break
            page.wait_for_timeout(50)
        page.wait_for_load_state()
        is_refused(page)
        if script.endswith("deck.js"):
            assert look(page) == []
        page.wait_for_timeout(300)
        assert loads == 2
        assert not Answer.objects.exists()
    page.get_by_role("link", name="Load the page again").click()
    in_state(page, "ready")
    expect(page.get_by_text(MISSING)).to_be_hidden()
    rate(page)
    is_at(page, 2)


@pytest.mark.parametrize("script", ["/static/js/rater/player.js", "/static/js/task_types/ternary.js"])
def test_a_script_that_fails_once_is_loaded_again_by_itself(page: Page, script: str) -> None:
    page.route("**/rater/guard*.js", soon)
    with without(page, script, times=1):
        open_trial(page, make_study())
        listen(page)
    expect(page.get_by_text(MISSING)).to_be_hidden()


def test_even_without_the_script_that_watches_the_page_says_so_after_some_seconds(page: Page) -> None:
    with without(page, "/rater/guard"), without(page, "/rater/deck"):
        page.emulate_media(reduced_motion="reduce")
        open_trial(page, make_study())
        expect(page.get_by_text(MISSING)).to_be_hidden()
        is_refused(page)


@pytest.mark.parametrize("kind", sorted(task_types.by_name()))
def test_no_kind_of_trial_can_be_sent_without_its_script(page: Page, kind: str) -> None:
    page.route("**/rater/guard*.js", soon)
    with without(page, "/rater/trial"):
        open_trial(page, kinds.make(kind, now=timezone.now(), seconds=0.4))
        is_refused(page)


def test_checks_with_sound_and_practice_wait_for_their_scripts(page: Page) -> None:
    study = with_checks(timezone.now(), **ALL, **CODES)
    page.route("**/rater/guard*.js", soon)
    agree(page, study)
    met = set[str]()
    while Session.objects.get().step in {"checks", "practice", "instructions"}:
        if "/instructions/" in page.url:
            page.get_by_role("button", name="Start").click()
            page.wait_for_url("**/check/")
        name = open_check().name
        if name not in met and page.locator("audio, #practice").count():
            before = CheckResult.objects.get(passed=None)
            for script in ("/rater/checks", "/rater/practice", "/rater/page"):
                if script.endswith(("checks", "practice")) and page.locator(f"script[src*='{script}']").count() == 0:
                    continue
                with without(page, script):
                    page.reload()
                    is_refused(page)
            after = CheckResult.objects.get(passed=None)
            assert (after.pk, after.answers) == (before.pk, before.answers)
            page.get_by_role("link", name="Load the page again").click()
        met.add(name)
        if name == "training":
            break
        answer(page)
    assert met >= {"device", "volume", "antiphase", "huggins", "training"}


def test_pages_without_sound_need_no_script(page: Page) -> None:
    """Their forms are sent as forms, and the server checks them."""
    study = make_study(protocol__batches_per_session=1, questionnaire__age=True)
    open_trial(page, study)
    for _trial in range(3):
        rate(page)
        page.wait_for_timeout(100)
    page.wait_for_url("**/questions/")
    with without(page, "/static/js/"):
        page.reload()
        expect(page.get_by_text(MISSING)).to_be_hidden()
        page.get_by_role("radio", name="25 to 34").check()
        page.get_by_role("button", name="Save and finish").click()
        page.wait_for_url("**/end/")
    assert Session.objects.get().outcome == "complete"

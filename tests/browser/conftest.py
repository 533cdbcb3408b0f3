"""A real Chromium, and pages in it that fail the test when a script breaks or a stranger is called."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.chromium import FLAGS, executable

expect.set_options(timeout=30_000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything in this folder."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start one Chromium for the whole run."""
    # Playwright keeps an event loop in this thread, where Django would refuse every query.
    before = os.environ.get("DJANGO_ALLOW_ASYNC_UNSAFE")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable(), headless=True, args=FLAGS)
        yield chromium
        chromium.close()
    if before is None:
        del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]
    else:
        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = before


@pytest.fixture
def context(browser: Browser, live_server: object) -> Iterator[BrowserContext]:
    """Open a browser window of its own, whose addresses begin at the test's server."""
    window = browser.new_context(base_url=str(live_server), viewport={"width": 1280, "height": 720})
    window.set_default_timeout(60_000)
    yield window
    window.close()


@pytest.fixture
def page(context: BrowserContext, live_server: object) -> Iterator[Page]:
    """Open a tab that fails the test when a script breaks or anything but the test's server is asked."""
    tab = context.new_page()
    errors: list[str] = []
    strangers: list[str] = []
    home = urlsplit(str(live_server)).netloc
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.on("console", lambda line: errors.append(line.text) if "Content Security Policy" in line.text else None)
    context.on(
        "request",
        lambda request: (
            strangers.append(request.url)
            if urlsplit(request.url).scheme in {"http", "https", "ws", "wss"} and urlsplit(request.url).netloc != home
            else None
        ),
    )
    yield tab
    assert errors == []
    assert strangers == []

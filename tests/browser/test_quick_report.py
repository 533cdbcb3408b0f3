"""The report of a quick test opens from disk in the browser's language."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from quick import answers, making, results
from tests.quick.folders import asked, folder, listener, prefers

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


@pytest.fixture
def report(tmp_path: Path, now: datetime) -> Path:
    kept = making.make(asked(folder(tmp_path, "crimson", 6), folder(tmp_path, "indigo", 6, rate=48000)), str)
    listener(kept, now).rate(prefers(kept.texts[0], system="indigo"))
    found = results.compare(kept, answers.collect(kept, is_stopped=False), is_stopped=False)
    return results.write(found, tmp_path / "out")[0]


@pytest.mark.parametrize(
    ("locale", "language", "title"),
    [
        ("en-GB", "en", "Result of a blind test"),
        ("zh-CN", "zh-hans", "盲测结果"),
        ("zh-TW", "en", "Result of a blind test"),
        ("de-DE", "en", "Result of a blind test"),
    ],
)
def test_the_report_follows_the_browser(browser: Browser, report: Path, locale: str, language: str, title: str) -> None:
    page = browser.new_page(locale=locale)
    page.goto(report.as_uri())
    assert page.title() == page.locator("h1:visible").inner_text() == title
    assert page.locator("html").get_attribute("lang") == language
    figures = page.locator(".result:visible").inner_text()
    assert all(word in figures for word in ("indigo", "crimson", "83 %", "44", "97 %", "p = .219")), figures
    assert ("differ in sample rate" in page.inner_text("body")) == (language == "en")
    players = page.locator("audio:visible")
    assert players.count() == 2
    for player in players.all():
        player.evaluate("async (player) => { player.muted = true; await player.play(); }")
        assert player.evaluate("(player) => player.duration") > 0.4
    page.close()

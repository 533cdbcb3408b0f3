"""The proposed table of dropped clips: listen, use files, combine tables, replace clips."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from studies.models import Study
from tests import audio
from tests.browser.looking import look
from tests.browser.test_loose_clips import lay
from tests.browser.test_loose_clips import study as study

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]


def test_clips_are_heard_before_they_are_sent_and_one_at_a_time(page: Page, study: Study, tmp_path: Path) -> None:
    files = {"human/1.wav": audio.wav(60.0), "alder/1.wav": audio.wav(60.0), "alder/2.wav": audio.wav(0.3)}
    folder = lay(tmp_path / "set", {**files, "alder/3.wav": b"no sound"})
    requests: list[str] = []
    page.get_by_label("Choose folder").set_input_files(folder)
    expect(page.get_by_text("Clips: 4. Systems: 2.")).to_be_visible()
    page.on("request", lambda request: requests.append(request.url) if request.url.startswith("http") else None)
    page.get_by_text("All clips", exact=True).click()
    rows = page.locator("[data-part=rows]")
    rows.get_by_role("button", name="Play set/human/1.wav").click()
    expect(rows.get_by_role("button", name="Stop set/human/1.wav")).to_be_visible()
    page.locator("[data-part=groups]").get_by_role("button", name="Play set/alder/1.wav").click()
    expect(rows.get_by_role("button", name="Play set/human/1.wav")).to_be_visible()
    expect(page.get_by_role("button", name="Stop set/alder/1.wav")).to_have_count(1)
    page.get_by_role("button", name="Stop set/alder/1.wav").click()
    expect(page.get_by_role("button", name="Stop set")).to_have_count(0)
    # It ends.
    rows.get_by_role("button", name="Play set/alder/2.wav").click()
    expect(rows.get_by_role("button", name="Stop set/alder/2.wav")).to_be_visible()
    expect(rows.get_by_role("button", name="Play set/alder/2.wav")).to_be_visible()
    rows.get_by_role("button", name="Play set/alder/3.wav").click()
    expect(rows.get_by_role("button", name="This browser can’t play set/alder/3.wav.")).to_be_disabled()
    assert requests == []
    assert look(page) == []


def test_clips_in_a_zip_have_nothing_to_play(page: Page, study: Study, tmp_path: Path) -> None:
    (tmp_path / "clips.zip").write_bytes(audio.zipped({"human/1.wav": audio.wav(0.3), "a/1.wav": audio.wav(0.4)}))
    page.get_by_label("Choose files").set_input_files(tmp_path / "clips.zip")
    expect(page.get_by_text("Clips: 2. Systems: 2.")).to_be_visible()
    expect(page.get_by_role("button", name="Play")).to_have_count(0)

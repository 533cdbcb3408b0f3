"""A study with an open link, from signing in to live, without a visit to Design."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from studies.models import Study
from tests import audio
from tests.browser.looking import look
from tests.browser.test_researcher import Worker, log_in
from tests.browser.test_researcher import worker as worker
from tests.studies.audit.material import spoken

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]
RATE = 16_000


def folder_of_wav(folder: Path) -> Path:
    for seed, system in enumerate(("human", "alder")):
        for text in range(10):
            file = folder / system / f"t{text:02}.wav"
            file.parent.mkdir(parents=True, exist_ok=True)
            speech = spoken(1 + text / 20, rate=RATE, seed=100 * seed + text, edge=0.0, lead=0.0)
            file.write_bytes(audio.encoded(speech, RATE, subtype="PCM_16"))
    return folder


def test_a_folder_of_wav_files_is_a_live_study_without_a_visit_to_design(
    page: Page, worker: Worker, tmp_path: Path
) -> None:
    log_in(page, reverse("workspace:home"))
    page.get_by_role("link", name="New study").first.click()
    page.get_by_label("Title").fill("Voices of winter")
    page.get_by_label("Where raters come from").select_option("Open link")
    page.get_by_role("radio", name="How good does it sound?").check()
    page.get_by_role("button", name="Create study").click()
    # It can be used from here on.
    expect(page.get_by_text("Drop a folder, audio files or a ZIP here.")).to_be_visible()
    page.get_by_label("Choose folder").set_input_files(folder_of_wav(tmp_path / "clips"))
    page.get_by_role("button", name="Import 20 clips").click()
    page.wait_for_url("**/imports/*/")
    worker.work()
    expect(page.get_by_text("20 clips were added.")).to_be_visible()
    page.get_by_role("link", name="Check & launch").first.click()

    # What raters read before they consent is asked for here.
    expect(page.get_by_text("return URL")).to_have_count(0)
    expect(page.get_by_text("Earshot doesn’t pay these raters").first).to_be_visible()
    page.get_by_label("Contact").fill("Rita, rita@example.org")
    page.get_by_label("Currency").fill("EUR")
    page.get_by_label("Pay", exact=True).fill("2")
    expect(page.get_by_label("Minutes per session")).not_to_have_value("")
    assert look(page) == []
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_label("Contact")).to_have_count(0)
    expect(page.get_by_text("20 clips × 10 ratings ÷ 10 clips per rater: at least 20 raters")).to_be_visible()
    page.get_by_role("button", name="Launch", exact=True).click()
    expect(page.get_by_text("The study is live: raters can start")).to_be_visible()
    crowd, payment = Study.objects.get().definition.crowd, Study.objects.get().definition.payment
    assert (crowd.source, crowd.return_url, payment.currency, payment.rate) == ("open", "", "EUR", 2.0)

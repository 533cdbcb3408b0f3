"""The whole way by clicks: create a study, drop loose files, repair and accept, preview, try, launch and watch."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from raters.models import Session
from studies.models import Clip, Study
from tests import audio
from tests.browser.looking import look
from tests.browser.test_researcher import Worker, log_in
from tests.browser.test_researcher import worker as worker
from tests.studies.audit.material import spoken

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]
RATE, TEXTS = 16_000, 8


def recording(seed: int, *, noise_before: float = 0.0, edge: float = 0.0) -> bytes:
    """Return speech of over a second with `noise_before` seconds of noise 20 dB below it in front."""
    speech = spoken(1.2 + seed % TEXTS / 20, rate=RATE, seed=seed, edge=edge, lead=noise_before)
    return audio.encoded(speech, RATE, subtype="PCM_16")


def loose_files(folder: Path) -> Path:
    """Write clips without a manifest: noise before human speech, and one system without high frequencies."""
    clips = {
        **{f"human/t{text}.wav": recording(text, noise_before=0.9) for text in range(TEXTS)},
        **{f"alder/t{text}.wav": recording(100 + text) for text in range(TEXTS)},
        **{f"birch/t{text}.wav": recording(200 + text, edge=3000) for text in range(TEXTS)},
        **{f"trap_human/h{number}.wav": recording(300 + number, noise_before=0.9) for number in range(6)},
        **{f"trap_flawed/f{number}.wav": recording(400 + number) for number in range(3)},
    }
    for name, content in clips.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def test_loose_files_become_a_launched_study_with_a_repaired_and_an_accepted_difference(
    page: Page, worker: Worker, tmp_path: Path
) -> None:
    log_in(page, reverse("workspace:home"))
    page.get_by_role("link", name="New study").first.click()
    page.get_by_label("Title").fill("Voices of autumn")
    page.get_by_role("radio", name="Does this voice pass for a human?").check()
    page.get_by_role("button", name="Create study").click()

    # It can be used from here on.
    expect(page.get_by_text("Drop a folder, audio files or a ZIP here.")).to_be_visible()
    page.get_by_label("Choose folder").set_input_files(loose_files(tmp_path / "clips"))
    expect(page.get_by_text("Clips: 33.")).to_be_visible()
    page.get_by_role("button", name="Import 33 clips").click()
    page.wait_for_url("**/imports/*/")
    worker.work()
    expect(page.get_by_text("33 clips were added.")).to_be_visible()
    study = Study.objects.get(slug="voices-of-autumn")

    # The noise is found and repaired for all clips.
    page.goto(reverse("studies:audit", args=[study.slug]))
    noisy = page.get_by_role("listitem").filter(has_text="Clips of human start with more audible noise")
    expect(noisy).to_contain_text("Its level is −20 dB relative to the speech.")
    page.goto(reverse("studies:launch", args=[study.slug]))
    line = page.get_by_role("listitem").filter(has_text="Audit: Clips of human start with more audible noise")
    line.get_by_role("link", name="See finding").click()
    expect(noisy).to_be_in_viewport()
    noisy.get_by_role("button", name="Preview repair").click()
    worker.work()
    expect(page.get_by_role("row").filter(has_text="human")).to_contain_text("→ 0.00")
    assert look(page) == []
    page.get_by_role("button", name="Apply to all 33 clips").click()
    worker.work()
    page.goto(reverse("studies:audit", args=[study.slug]))
    expect(page.get_by_text("Applied by rita")).to_be_visible()
    expect(page.get_by_text("start with more audible noise")).to_have_count(0)
    expect(page.get_by_text("start with more silence")).to_have_count(0)
    assert set(Clip.objects.values_list("recipe", flat=True)) == {"edges=0.2"}

    # That one system lacks high frequencies is part of what is compared.
    narrow = page.get_by_role("listitem").filter(has_text="birch").filter(has_text="kHz").first
    narrow.get_by_role("button", name="It is part of what I compare").click()
    expect(page.get_by_text("Accepted by rita")).to_be_visible()

    # As a rater sees it, to the first clip; nothing is kept.
    page.goto(reverse("studies:launch", args=[study.slug]))
    page.get_by_role("button", name="Preview as a rater").click()
    while page.locator("#trial").count() == 0:
        page.get_by_role("button", name="Skip this step").click()
        page.wait_for_load_state()
    expect(page.locator("#trial")).to_have_attribute("data-state", "ready")
    page.get_by_role("button", name="End preview").click()

    # Simulated raters, and the results as they will look.
    page.get_by_role("link", name="Dry run").click()
    page.get_by_label("Raters to simulate").fill("5")
    page.get_by_role("button", name="Simulate raters").click()
    worker.work()
    expect(page.get_by_role("heading", name="5 simulated raters")).to_be_visible()
    page.get_by_role("link", name="See the results page with simulated ratings").click()
    expect(page.get_by_text("say nothing about your clips").first).to_be_visible()
    assert Session.objects.count() == 0

    page.goto(reverse("studies:launch", args=[study.slug]))
    assert look(page) == []
    page.get_by_role("button", name="Launch", exact=True).click()
    expect(page.get_by_text("The study is live: raters can start")).to_be_visible()
    page.get_by_role("link", name="Live", exact=True).click()
    worker.work()
    expect(page.locator(".ws-pill")).to_have_text("Live")
    assert look(page) == []

"""A difference between systems is previewed, heard, repaired for all clips, and launched with."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from accounts.models import User
from core import clock
from studies.launch.states import change_settings
from studies.models import Clip, Study
from tests.browser.looking import look
from tests.browser.steps import go
from tests.browser.test_researcher import Worker, log_in
from tests.browser.test_researcher import worker as worker
from tests.researchers import url
from tests.studies.audit.material import clip_set, measured, study_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]
ALONE = {f"protocol.{name}": 0 for name in ("flawed_traps", "human_traps", "human_traps_right")}


def test_silence_before_human_clips_is_previewed_repaired_and_frozen(
    page: Page, worker: Worker, tmp_path: Path
) -> None:
    study = study_of(tmp_path / "clips", clock.now(), *clip_set(human={"before": 0.5}, alpha={}))
    measured(study, clock.now())
    change_settings(study=study, changes={**ALONE, "protocol.tests_per_batch": 5, "protocol.batches_per_session": 1})
    log_in(page)
    Study.objects.update(owner=User.objects.get(username="rita"))
    page.goto(url("audit", study.slug))
    finding = page.get_by_role("listitem").filter(has_text="Clips of human start with more silence")
    finding.get_by_role("button", name="Preview repair").click()
    expect(page.get_by_role("progressbar")).to_be_visible()
    expect(page.get_by_text("What this may take out of your study:")).to_be_visible()
    worker.work()
    expect(page.get_by_role("row").filter(has_text="human")).to_contain_text(re.compile(r"0\.(49|50) → 0\.(19|20|21)"))
    # The preview shows the lowest, the median and the highest clip of each system.
    after = page.get_by_label(re.compile(r"human/t\d\.wav, after the repair")).first
    file = (after.get_attribute("aria-label") or "").partition(",")[0]
    seconds = after.evaluate(
        "audio => new Promise(done => { audio.onloadedmetadata = () => done(audio.duration); audio.load(); })"
    )
    assert seconds == pytest.approx(Clip.objects.get(file=file).duration - 0.3, abs=0.25)
    assert look(page) == []

    page.get_by_role("button", name="Apply to all 10 clips").click()
    expect(page.get_by_text("Making the clips again from their originals.")).to_be_visible()
    assert look(page) == []
    page.goto(url("launch", study.slug))
    expect(page.get_by_text("The clips are being repaired. Wait for it.")).to_be_visible()
    worker.work()
    page.goto(url("audit", study.slug))
    expect(page.get_by_text("Applied by rita")).to_be_visible()
    expect(page.get_by_text("start with more silence")).to_have_count(0)

    page.get_by_role("button", name="Undo repair").click()
    worker.work()
    page.goto(url("audit", study.slug))
    expect(page.get_by_text("Clips of human start with more silence")).to_be_visible()
    finding.get_by_role("button", name="Preview repair").click()
    worker.work()
    page.get_by_role("button", name="Apply to all 10 clips").click()
    # The page loads itself again when the clips are made; only then is the next one asked for.
    expect(page.get_by_text("Making the clips again from their originals.")).to_be_visible()
    worker.work()
    expect(page.get_by_text("Making the clips again from their originals.")).to_have_count(0)
    expect(page.get_by_text("Applied by rita")).to_be_visible()
    go(page, url("launch", study.slug))
    page.get_by_role("button", name="Launch", exact=True).click()
    page.goto(url("audit", study.slug))
    expect(page.get_by_text("The launch fixed the repairs: clips never change any more.")).to_be_visible()
    expect(page.get_by_role("button", name="Undo repair")).to_have_count(0)


def test_while_clips_are_measured_the_launch_page_says_so_and_then_offers_the_results(
    page: Page, worker: Worker, tmp_path: Path
) -> None:
    study = study_of(tmp_path / "clips", clock.now(), *clip_set(human={"lead": 0.9}, alpha={}))
    log_in(page)
    Study.objects.update(owner=User.objects.get(username="rita"))
    page.goto(url("launch", study.slug))
    expect(page.get_by_text("0 of 10 clips measured; findings can still change.")).to_be_visible()
    assert look(page) == []
    worker.work()
    page.get_by_role("link", name="Show new results").click()
    expect(page.get_by_text("Clips of human start with more audible noise than those of alpha: ")).to_be_visible()
    expect(page.get_by_text("findings can still change")).to_have_count(0)

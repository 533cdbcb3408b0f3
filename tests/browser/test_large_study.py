"""In a large study, pages show what a worker compared last and since when, and the new state once clips changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from accounts.models import User
from core import clock, jobs
from studies.clips import figures
from studies.models import Study, Summary
from studies.summaries import services as summaries
from tests.browser.looking import look
from tests.browser.test_researcher import log_in
from tests.researchers import url
from tests.studies.audit.material import DIFFERENT, clip_set, measured, study_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]
WAIT, AS_OF = "A worker is computing this for the first time", "As of "


def work() -> None:
    for pk in Summary.objects.filter(state=jobs.QUEUED).values_list("pk", flat=True):
        assert summaries.refresh(pk=pk, clock=clock.now)


def test_pages_of_a_large_study_say_since_when_their_figures_are(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = study_of(tmp_path / "clips", clock.now(), *clip_set(**DIFFERENT))
    measured(study, clock.now())
    log_in(page, url("clips", study.slug))
    Study.objects.filter(pk=study.pk).update(owner=User.objects.get(username="rita"))
    figures.keep(study, clock.now())
    monkeypatch.setattr(summaries, "QUICK", 5)
    page.goto(url("clips", study.slug))
    number = study.clips.count()
    expect(page.get_by_role("link", name=f"Clips {number}")).to_be_visible()
    page.get_by_role("link", name="Audit").first.click()
    expect(page.get_by_text(WAIT)).to_be_visible()
    assert look(page) == []
    work()
    page.reload()
    expect(page.get_by_text(AS_OF)).to_be_visible()
    expect(page.get_by_role("heading", name="Listeners could use this")).to_be_visible()
    expect(page.get_by_role("heading", name="Measures by system")).to_be_visible()
    assert look(page) == []

    # What a person accepts is shown at once; clips that are deleted, when a worker compared the others.
    page.get_by_role("button", name="It is part of what I compare").first.click()
    expect(page.get_by_role("heading", name="Part of what you compare")).to_be_visible()
    page.get_by_role("link", name="Clips", exact=True).first.click()
    page.get_by_role("checkbox", name="Select").first.check()
    page.get_by_role("button", name="Delete selected").click()
    expect(page.get_by_role("link", name=f"Clips {number - 1}")).to_be_visible()
    page.get_by_role("link", name="Audit").first.click()
    expect(page.get_by_text("Clips or their measures changed since.")).to_be_visible()

    page.get_by_role("link", name="Design").first.click()
    expect(page.get_by_text(WAIT)).to_be_visible()
    work()
    page.reload()
    expect(page.get_by_text(AS_OF)).to_be_visible()
    assert look(page) == []

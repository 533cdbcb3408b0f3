"""Machines against people, by real clicks: import a file, look at the figures, send clips to the experts."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from raters.models import ReviewItem
from studies.models import Clip, Study
from tests.analysis.comparisons.rated import GOOD, Heard
from tests.browser.looking import look
from tests.researchers import researcher
from tests.workers import work_at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]


def test_a_file_becomes_figures_that_everybody_can_read(
    page: Page, now: datetime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.nudge._send", work_at_once)
    study = Heard(now, people=4).study
    Study.objects.filter(pk=study.pk).update(owner=researcher("rita"))
    clips = Clip.objects.filter(study=study).select_related("system").order_by("pk")
    rows = [f"{clip.file},UTMOS,{1 + 4 * GOOD[clip.system.name] + 0.02 * (clip.pk % 5)}" for clip in clips]
    file, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    file.write_text("\n".join(["clip,metric,value", *rows]))
    bad.write_text("clip,metric,value\nno-such.wav,UTMOS,high")

    address = reverse("analysis:machines", args=[study.slug])
    page.goto(f"/admin/login/?next={address}")
    page.get_by_label("Username").fill("rita")
    page.get_by_label("Password").fill("pw")
    page.get_by_role("button", name="Log in").click()
    page.locator("#id_file").set_input_files(bad)
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_role("alert")).to_contain_text("No clip of this study is called “no-such.wav”.")
    assert look(page) == []

    page.locator("#id_file").set_input_files(file)
    page.get_by_label("Lower end of the scale").fill("1")
    page.get_by_label("Upper end of the scale").fill("5")
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_role("status").first).to_contain_text("Imported: UTMOS.")
    expect(page.get_by_role("heading", name="Voices, ranked by machine and by raters")).to_be_visible()
    expect(page.get_by_role("region", name="Ranks by UTMOS").get_by_role("row", name="All 5")).to_contain_text("0.0000")
    expect(page.get_by_text("Expect a new system within")).to_be_visible()
    assert look(page) == []

    page.get_by_role("button", name="Let experts see these first").click()
    expect(page.get_by_role("status").first).to_contain_text("answers about 10 clips")
    assert ReviewItem.objects.filter(draw__lt=0).count() == 4 * 10
    page.get_by_role("link", name="UTMOS").click()
    expect(page.get_by_role("heading", name="Where it comes from")).to_be_visible()
    assert look(page) == []

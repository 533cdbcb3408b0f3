"""A researcher's way by real clicks: from a preset and a ZIP to a launched study and its CSV."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from accounts.models import User
from studies.audit import accepting, previewing, queries, repairing
from studies.audit.findings import findings
from studies.models import ClipImport, Study
from tests import audio
from tests.browser.looking import look
from tests.researchers import researcher, url
from tests.studies.audit.material import DIFFERENT, clip_set, measured, study_of
from tests.workers import task
from tests.world import make_study

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]


class Worker:
    """Takes the messages that a broker would carry, and works when told."""

    def __init__(self) -> None:
        self.messages: list[tuple[Any, int]] = []

    def work(self) -> None:
        while self.messages:
            task, pk = self.messages.pop(0)
            task(pk)


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> Worker:
    worker = Worker()
    monkeypatch.setattr("core.nudge._send", lambda name, pk: worker.messages.append((task(name), pk)))
    return worker


def log_in(page: Page, address: str = "/admin/") -> None:
    researcher("rita")
    page.goto(address)
    page.get_by_label("Username").fill("rita")
    page.get_by_label("Password").fill("pw")
    page.get_by_role("button", name="Log in").click()


def create(page: Page) -> Study:
    """Make a study from the preset, and return it."""
    page.locator("tr.model-study").get_by_role("link", name="Add", exact=True).click()
    expect(page).to_have_url(re.compile("/admin/studies/study/add/$"))
    page.get_by_role("radio", name="Does this voice pass for a human?").check()
    page.get_by_label("Title").fill("Voices of spring")
    page.get_by_role("button", name="Create study").click()
    expect(page.get_by_text("The study was created")).to_be_visible()
    page.get_by_role("link", name="Design", exact=True).click()
    return Study.objects.get(slug="voices-of-spring")


def send(page: Page, rows: list[dict[str, str]], files: dict[str, bytes]) -> None:
    archive = {"name": "clips.zip", "mimeType": "application/zip", "buffer": audio.zipped(files)}
    manifest = {"name": "manifest.csv", "mimeType": "text/csv", "buffer": audio.manifest(rows)}
    page.get_by_label("Archive of audio files").set_input_files(archive)  # type: ignore[arg-type]
    page.get_by_label("Manifest (CSV)").set_input_files(manifest)  # type: ignore[arg-type]
    page.get_by_role("button", name="Import").click()


def test_a_study_is_made_from_a_zip_launched_and_downloaded(page: Page, worker: Worker, tmp_path: Path) -> None:
    log_in(page)
    study = create(page)

    # A setting that can't be is told beside its field; one that can is kept.
    ratings = page.get_by_label("Ratings per clip", exact=True)
    ratings.fill("0")
    expect(page.locator("#protocol__ratings_wanted-problem")).to_contain_text("greater than or equal to 1")
    ratings.fill("2")
    expect(page.get_by_text("Saved at")).to_be_visible()
    study.refresh_from_db()
    assert study.definition.protocol.ratings_wanted == 2

    # A first manifest with a slip: nothing comes in, and the report says where it is.
    rows, files = audio.clip_set(systems=("human", "alpha"))
    page.get_by_role("link", name="Clips", exact=True).last.click()
    send(page, [{**rows[0], "role": "tset"}, *rows[1:]], files)
    page.wait_for_url("**/imports/*/")
    worker.work()
    expect(page.get_by_text("Nothing was imported. 1 problem to fix:")).to_be_visible()
    expect(page.get_by_role("row", name="role 2 human/t1.wav")).to_be_visible()

    # Corrected and sent again from the report's own page.
    send(page, rows, files)
    expect(page.get_by_text("waiting to start")).to_be_visible()
    worker.work()
    expect(page.get_by_text(f"{len(rows)} clips were added.")).to_be_visible()

    page.get_by_role("link", name="Continue to Check & launch").click()
    page.locator("summary", has_text="checks passed").click()
    expect(page.get_by_text("Human recordings make 50 % of the test clips (7 of 14).")).to_be_visible()
    page.get_by_role("button", name="Launch").click()
    expect(page.get_by_text("The study is live: raters can start")).to_be_visible()
    expect(page.locator(".ws-pill")).to_have_text("Live")

    # The study's own page, and the data.
    page.get_by_role("link", name="Results", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Voices of spring")
    page.get_by_role("button", name="Download data (ZIP)").click()
    worker.work()
    with page.expect_download() as taken:
        page.locator("a[href$='/download']").click()
    target = tmp_path / "export.zip"
    taken.value.save_as(target)
    with zipfile.ZipFile(target) as archive:
        name = next(name for name in archive.namelist() if name.endswith("clips.csv"))
        table = list(csv.DictReader(io.TextIOWrapper(archive.open(name), "utf-8-sig")))
    assert len(table) == len(rows) == study.clips.count()
    assert {row["system"] for row in table} == {"human", "alpha", "flawed"}


def test_no_page_of_a_study_shuts_anybody_out(page: Page, tmp_path: Path) -> None:
    study = make_study(now=timezone.now())
    draft = make_study(now=timezone.now(), launch=False)
    rows, files = clip_set(**DIFFERENT)
    files["beta/t3.wav"] = files["human/t0.wav"]
    audited = measured(study_of(tmp_path / "clips", timezone.now(), rows, files), timezone.now())
    first = next(found for found in findings(audited, queries.clips(audited)) if found.is_open)
    accepting.accept(study=audited, key=first.key, user=None, now=timezone.now())
    repairing.apply(study=audited, values={"band": 4000}, user=None, now=timezone.now())
    preview = previewing.request(study=audited, kind="edges", value=0.2, now=timezone.now())
    previewing.run(pk=preview.pk)
    log_in(page)
    Study.objects.update(owner=User.objects.get(username="rita"))
    problem = {"row": 2, "file": "a.wav", "column": "role", "reason": "No such role.", "warning": False}
    job = ClipImport.objects.create(study=study, created_at=timezone.now(), manifest_name="m.csv")
    over = ClipImport.objects.create(
        study=study, created_at=timezone.now(), manifest_name="m.csv", state="done", report=[problem]
    )
    for address in (
        "/admin/",
        url("changelist"),
        url("add"),
        *(reverse("studies:design", args=[each.slug]) for each in (study, draft)),
        url("clips", study.slug),
        url("import", study.slug, job.pk),
        url("import", study.slug, over.pk),
        url("audit", study.slug),
        url("audit", draft.slug),
        url("audit", audited.slug),
        *(url("repair", audited.slug, kind) for kind in ("edges", "band")),
        url("launch", study.slug),
        url("launch", draft.slug),
        f"/admin/studies/clip/?study__id__exact={study.pk}",
    ):
        page.goto(address)
        assert look(page) == []


def test_closing_a_study_is_asked_twice(page: Page, worker: Worker) -> None:
    study = make_study(now=timezone.now())
    log_in(page, "/admin/")
    Study.objects.update(owner=User.objects.get(username="rita"))
    page.goto(url("launch", study.slug))
    expect(page.get_by_role("button", name="Close study")).to_be_hidden()
    page.get_by_text("Close the study").click()
    page.get_by_role("button", name="Close study").click()
    expect(page.get_by_text("The study is closed.")).to_be_visible()
    expect(page.get_by_role("button", name="Reopen")).to_be_visible()


def test_the_import_page_works_without_a_script(context: BrowserContext, worker: Worker, live_server: Any) -> None:
    assert context.browser
    plain = context.browser.new_context(base_url=str(live_server), java_script_enabled=False)
    page = plain.new_page()
    log_in(page)
    page.locator("tr.model-study").get_by_role("link", name="Add", exact=True).click()
    page.get_by_label("Title").fill("Plain")
    page.get_by_role("radio", name="Does this voice pass for a human?").check()
    page.get_by_text("Choose the address yourself").click()
    page.get_by_label("Address").fill("plain-and-simple")
    page.get_by_role("button", name="Create study").click()
    rows, files = audio.clip_set(systems=("human",), texts=1, flawed=1, human=2)
    send(page, rows, files)
    expect(page.get_by_text("waiting to start")).to_be_visible()
    worker.work()
    # It loads itself again every five seconds.
    expect(page.get_by_text(f"{len(rows)} clips were added.")).to_be_visible(timeout=30_000)
    plain.close()

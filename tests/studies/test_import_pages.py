"""Clips are sent in the admin: an import is watched, its report read, and both files sent again."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import pytest
from celery import current_app
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from kombu.exceptions import OperationalError

from accounts.models import User
from core.jobs import DONE, QUEUED, RUNNING
from studies.models import ClipImport, Study
from studies.tasks import import_clips
from tests import audio
from tests.researchers import logged_in, researcher, text, url
from tests.world import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
ROWS = [{"file": "a.wav", "system": "gamma", "role": "test", "text_id": "new"}]


@pytest.fixture
def rita() -> User:
    return researcher("rita")


@pytest.fixture
def page(rita: User) -> Client:
    """Return Rita's browser."""
    return logged_in(rita)


@pytest.fixture
def draft(rita: User, now: datetime) -> Study:
    study = make_study(now=now, launch=False)
    Study.objects.update(owner=rita)
    study.refresh_from_db()
    return study


def upload(page: Client, study: Study, rows: list[dict[str, str]], **files: bytes) -> Any:
    manifest = audio.manifest(rows)
    return page.post(
        url("clips", study.slug),
        {
            "archive": SimpleUploadedFile(
                "clips.zip", audio.zipped({f"{name}.wav": one for name, one in files.items()})
            ),
            "manifest": SimpleUploadedFile("manifest.csv", manifest),
        },
    )


def test_an_import_of_dropped_files_is_called_after_them_and_not_after_the_pages_table(
    page: Client, draft: Study
) -> None:
    sent = {
        "archive": SimpleUploadedFile("voices of spring.zip", audio.zipped({"a.wav": b""})),
        "manifest": SimpleUploadedFile("table.csv", audio.manifest(ROWS)),
    }
    page.post(url("clips", draft.slug), sent)
    assert ClipImport.objects.get().manifest_name == "voices of spring.zip"


def test_an_upload_queues_an_import_and_nudges_a_worker(
    page: Client,
    draft: Study,
    rita: User,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
) -> None:
    nudged: list[tuple[str, list[int]]] = []
    monkeypatch.setattr(current_app, "send_task", lambda name, args: nudged.append((name, args)))
    with django_capture_on_commit_callbacks(execute=True):
        sent = upload(page, draft, ROWS, a=audio.wav(1.0))
    job = ClipImport.objects.get()
    assert sent.headers["Location"] == url("import", draft.slug, job.pk)
    assert (job.state, job.created_by, job.manifest_name) == (QUEUED, rita, "manifest.csv")
    assert nudged == [("studies.import_clips", [job.pk])]
    import_clips(job.pk)
    assert "1 clip was added" in text(page.get(url("import", draft.slug, job.pk)))
    assert draft.clips.filter(system__name="gamma").count() == 1


def test_a_file_that_was_not_chosen_is_asked_for_by_name(page: Client, draft: Study) -> None:
    refused = page.post(url("clips", draft.slug), {})
    assert refused.context["form"].errors == {"archive": ["Choose the ZIP with the audio."]}
    assert re.search(r'<input type="file" name="archive"[^>]* required', text(refused))
    assert "novalidate" not in text(refused)


def test_a_zip_with_its_manifest_inside_is_enough(page: Client, draft: Study) -> None:
    archive = audio.zipped({"a.wav": audio.wav(1.0), "manifest.csv": audio.manifest(ROWS)})
    page.post(url("clips", draft.slug), {"archive": SimpleUploadedFile("clips.zip", archive)})
    job = ClipImport.objects.get()
    assert (job.manifest_name, job.is_conversion) == ("clips.zip", False)
    import_clips(job.pk)
    html = text(page.get(url("import", draft.slug, job.pk)))
    assert "1 clip was added" in html
    assert "was left out" not in html


def test_a_table_of_another_tool_next_to_the_zip_is_read_and_what_it_leaves_out_is_said(
    page: Client, draft: Study
) -> None:
    archive = audio.zipped(
        {f"wavs/{name}.wav": audio.wav(1.0, seed=seed) for seed, name in enumerate(("gt_1", "vits_1"))}
    )
    table = SimpleUploadedFile("metadata.csv", b"/data/gt_1|So soon?|9.5\n/data/vits_1|So soon?|7.1\n")
    page.post(url("clips", draft.slug), {"archive": SimpleUploadedFile("clips.zip", archive), "manifest": table})
    job = ClipImport.objects.get()
    import_clips(job.pk)
    html = text(page.get(url("import", draft.slug, job.pk)))
    assert "2 clips were added" in html
    assert "“column 3” is unknown and was ignored" in html
    assert set(draft.clips.filter(file__startswith="wavs/").values_list("system__name", "text__body")) == {
        ("human", "So soon?"),
        ("vits", "So soon?"),
    }


def test_a_dead_broker_breaks_no_upload(
    page: Client, draft: Study, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    def dead(name: str, args: list[int]) -> None:
        raise OperationalError("no broker")

    monkeypatch.setattr(current_app, "send_task", dead)
    with django_capture_on_commit_callbacks(execute=True):
        assert upload(page, draft, ROWS, a=audio.wav(1.0)).status_code == 302
    assert ClipImport.objects.get().state == QUEUED


def test_a_refused_import_lists_row_file_column_and_reason(page: Client, draft: Study) -> None:
    rows = [*ROWS, {"file": "b.wav", "system": "gamma", "role": "tset", "text_id": "new"}]
    before = draft.clips.count()
    upload(page, draft, rows, a=audio.wav(1.0), b=audio.wav(1.0, seed=2))
    job = ClipImport.objects.get()
    import_clips(job.pk)
    html = text(page.get(url("import", draft.slug, job.pk)))
    assert "Nothing was imported. 1 problem to fix:" in html
    cells = re.findall(r"<td[^>]*>(.*?)</td>", html)
    assert "tset" in cells[0]
    assert cells[1:4] == ["role", "3", "b.wav"]
    assert "add-clips" in html
    assert draft.clips.count() == before


def test_what_is_wrong_in_the_same_way_is_one_line_of_the_page_and_all_of_the_table(
    page: Client, draft: Study, now: datetime
) -> None:
    line = {"column": "role", "reason": "Not a role.", "warning": False, "table": "manifest"}
    report = [{**line, "row": row, "file": f"{row}.wav"} for row in range(2, 10)]
    report.append({**line, "row": 10, "file": "10.wav", "reason": "Too long."})
    job = ClipImport.objects.create(study=draft, created_at=now, manifest_name="m.csv", state=DONE, report=report)
    html = text(page.get(url("import", draft.slug, job.pk)))
    assert "Nothing was imported. 9 problems to fix:" in html
    cells = re.findall(r"<td[^>]*>(.*?)</td>", html)
    assert cells[:4] == [
        "Not a role.",
        "role",
        "2, 3, 4, 5, 6 and 3 more",
        "2.wav, 3.wav, 4.wav, 5.wav, 6.wav and 3 more",
    ]
    assert cells[4:8] == ["Too long.", "role", "10", "10.wav"]
    assert len(text(page.get(url("import_report", draft.slug, job.pk))).splitlines()) == 10


def test_the_report_downloads_as_a_table_without_formulas(page: Client, draft: Study, now: datetime) -> None:
    report = [{"row": 2, "file": "=cmd()", "column": "role", "reason": "a, b", "warning": False}]
    job = ClipImport.objects.create(study=draft, created_at=now, manifest_name="m.csv", state=DONE, report=report)
    sent = page.get(url("import_report", draft.slug, job.pk))
    assert "attachment" in sent.headers["Content-Disposition"]
    assert text(sent).splitlines() == ["table,row,file,column,reason", ',2,\'=cmd(),role,"a, b"']


def test_a_running_import_shows_its_progress_with_and_without_a_script(
    page: Client, draft: Study, now: datetime
) -> None:
    job = ClipImport.objects.create(study=draft, created_at=now, manifest_name="m.csv", state=RUNNING, done=3, total=12)
    html = text(page.get(url("import", draft.slug, job.pk)))
    assert '<progress id="progress" max="100" value="25">' in html
    assert '<noscript><meta http-equiv="refresh"' in html
    status = page.get(url("import_status", draft.slug, job.pk)).json()
    assert status == {"percent": 25, "done": 3, "total": 12, "over": False}


def test_an_import_is_found_under_its_own_study_alone(page: Client, draft: Study, rita: User, now: datetime) -> None:
    other = make_study(now=now, launch=False)
    Study.objects.update(owner=rita)
    job = ClipImport.objects.create(study=draft, created_at=now, manifest_name="m.csv")
    assert page.get(url("import", other.slug, job.pk)).status_code == 404

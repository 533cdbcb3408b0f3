"""Clips by way of the API: one request, or an upload in parts, and what an import says of each row."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.models import Upload, UploadPart, User
from accounts.uploads import services as uploads_services
from analysis.data.models import Simulated
from analysis.exports.clips import CLIPS, clips
from analysis.exports.source import Source
from core import clock
from studies.imports import requests
from studies.imports.ingest import staging
from studies.models import Clip, ClipImport, Study
from tests import audio
from tests.api.caller import Caller, refused, token
from tests.researchers import researcher
from tests.studies.imports.conftest import InProcess
from tests.studies.imports.helpers import FILES, ROWS, stored

pytestmark = pytest.mark.django_db
PATH = "/studies/voices/imports"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Decode without a child process."""
    monkeypatch.setattr(staging, "DecoderProcess", InProcess)


@pytest.fixture
def study(api: Caller) -> Study:
    api.post("/studies", {"slug": "voices", "title": "Voices"})
    return Study.objects.get()


def lists(rows: Any = ROWS, archive: bytes | None = None) -> dict[str, Any]:
    content = audio.zipped(FILES) if archive is None else archive
    return {
        "manifest": SimpleUploadedFile("clips.csv", audio.manifest(rows)),
        "archive": SimpleUploadedFile("clips.zip", content),
    }


def worked(api: Caller, response: Any) -> dict[str, Any]:
    """Let a worker do the import, and ask how it ended."""
    assert response.status_code == 202, response.content
    requests.run_import(pk=response.json()["id"])
    found: dict[str, Any] = api.get(response["Location"]).json()
    return found


def test_an_archive_and_its_manifest_become_clips(api: Caller, study: Study) -> None:
    response = api.files(PATH, lists())
    assert (response.json()["state"], response.json()["accepted"]) == ("queued", False)
    found = worked(api, response)
    assert (found["state"], found["accepted"], found["clips_added"]) == ("done", True, 3)
    assert found["errors"] == []
    assert [clip["file"] for clip in api.get("/studies/voices/clips").json()["results"]] == [
        row["file"] for row in ROWS
    ]


def test_a_manifest_says_on_which_benchmarks_a_system_was_trained(api: Caller, study: Study) -> None:
    answers = {"h/1.wav": "", "a/1.flac": "yes", "f/1.wav": "no"}
    found = worked(api, api.files(PATH, lists([{**row, "seen": answers[row["file"]]} for row in ROWS])))
    assert found["accepted"], found["errors"]
    listed = api.get("/studies/voices/clips").json()["results"]
    assert {clip["file"]: clip["seen"] for clip in listed} == answers
    source = Source(study, Simulated.WITHOUT)
    assert [column.name for column in CLIPS[-2:]] == ["seen", "expected"]
    assert {row["clip"]: row["seen"] for row in clips(source)} == answers


def test_a_manifest_says_what_a_trap_expects(api: Caller, study: Study) -> None:
    answers = {"h/1.wav": "", "a/1.flac": "", "f/1.wav": "2"}
    found = worked(api, api.files(PATH, lists([{**row, "expected": answers[row["file"]]} for row in ROWS])))
    assert found["accepted"], found["errors"]
    listed = api.get("/studies/voices/clips").json()["results"]
    assert {clip["file"]: clip["expected"] for clip in listed} == answers
    assert {row["clip"]: row["expected"] for row in clips(Source(study, Simulated.WITHOUT))} == answers


def test_clips_that_a_draft_has_are_replaced_if_asked(api: Caller, study: Study) -> None:
    worked(api, api.files(PATH, lists()))
    assert worked(api, api.files(PATH, lists()))["accepted"] is False
    found = worked(api, api.files(PATH, {**lists(), "replace_known": "true"}))
    assert (found["accepted"], found["clips_added"]) == (True, 3)
    assert Clip.objects.filter(withdrawn_at=None).count() == 3


def test_every_wrong_row_is_named_with_its_column_and_nothing_is_taken(api: Caller, study: Study) -> None:
    rows = [{**ROWS[0], "role": "tset"}, {**ROWS[1], "system": ""}, {**ROWS[2], "file": "f/none.wav"}]
    found = worked(api, api.files(PATH, lists(rows)))
    assert (found["state"], found["accepted"], found["clips_added"]) == ("done", False, 0)
    assert {(error["row"], error["column"]) for error in found["errors"]} >= {(2, "role"), (3, "system"), (4, "file")}
    assert all(error["message"] and error["table"] == "manifest" for error in found["errors"] if error["row"])
    assert not Clip.objects.exists()


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({}, {"manifest"}),
        ({"manifest": "not a file"}, {"manifest"}),
        ({"manifest": SimpleUploadedFile("m.csv", b"file")}, {"archive"}),
        ({**lists(), "upload": "x" * 22}, {"archive"}),
        ({**lists(), "colour": "red"}, {"colour"}),
        ({**lists(), "skip_known": "true", "replace_known": "true"}, {"replace_known"}),
    ],
)
def test_a_request_that_lacks_something_names_it(
    api: Caller, study: Study, fields: dict[str, Any], named: set[str]
) -> None:
    for file in fields.values():
        if isinstance(file, SimpleUploadedFile):
            file.seek(0)
    assert {error["field"] for error in refused(api.files(PATH, fields), 422, "invalid")} == named
    assert not ClipImport.objects.exists()


def test_a_request_that_is_sent_twice_begins_one_import(api: Caller, study: Study) -> None:
    first = api.files(PATH, lists(), Idempotency_Key="a")
    again = api.files(PATH, lists(), Idempotency_Key="a")
    assert (first.status_code, again.status_code) == (202, 200)
    assert first.json()["id"] == again.json()["id"]
    refused(api.files(PATH, lists(ROWS[:2]), Idempotency_Key="a"), 409, "key_reused")
    assert ClipImport.objects.count() == 1


def test_a_refused_import_lets_its_key_be_used_again(api: Caller, study: Study) -> None:
    Study.objects.update(state=Study.State.CLOSED)
    refused(api.files(PATH, lists(), Idempotency_Key="a"), 422, "invalid")
    Study.objects.update(state=Study.State.DRAFT)
    assert api.files(PATH, lists(), Idempotency_Key="a").status_code == 202


def begun(api: Caller, content: bytes, **changed: Any) -> Any:
    body = {"name": "clips.zip", "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest(), **changed}
    return api.post("/uploads", body)


def put(api: Caller, upload: dict[str, Any], number: int, content: bytes, digest: str = "") -> Any:
    headers = {**api.headers, **({"X-Content-SHA256": digest} if digest else {})}
    url = f"{upload['url']}/parts/{number}"
    return api.client.generic("PUT", url, content, "application/octet-stream", headers=headers)


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(uploads_services, "PART_BYTES", 20_000)
    return 20_000


def test_an_archive_comes_in_parts_in_any_order(api: Caller, study: Study, small_parts: int, files: Path) -> None:
    content = audio.zipped(FILES)
    upload = begun(api, content).json()
    count = upload["parts"]
    assert (upload["part_bytes"], count > 2, upload["missing"]) == (small_parts, True, list(range(1, count + 1)))
    pieces = [content[i : i + small_parts] for i in range(0, len(content), small_parts)]
    refused(api.files(PATH, {"manifest": lists()["manifest"], "upload": upload["id"]}), 409, "upload_incomplete")
    for number in range(count, 0, -1):
        digest = hashlib.sha256(pieces[number - 1]).hexdigest()
        # Each part twice, as after a lost answer.
        for _ in range(2):
            assert put(api, upload, number, pieces[number - 1], digest).status_code == 200
    assert api.get(upload["url"]).json()["missing"] == []
    assert len(stored(files)) == count
    found = worked(api, api.files(PATH, {"manifest": lists()["manifest"], "upload": upload["id"]}))
    assert (found["accepted"], found["archive_name"]) == (True, "clips.zip")
    refused(api.get(upload["url"]), 404, "not_found")
    assert not UploadPart.objects.exists()
    assert len(stored(files)) == 2 * len(FILES)


def test_a_folder_comes_as_a_list_of_files_whose_bytes_share_parts(api: Caller, study: Study, small_parts: int) -> None:
    content = b"".join(FILES.values())
    announced = [{"path": path, "bytes": len(each)} for path, each in FILES.items()]
    refused(begun(api, content, files=announced[1:]), 422, "invalid")
    upload = begun(api, content, files=announced).json()
    for number in upload["missing"]:
        assert put(api, upload, number, content[(number - 1) * small_parts : number * small_parts]).status_code == 200
    found = worked(api, api.files(PATH, {"manifest": lists()["manifest"], "upload": upload["id"]}))
    assert (found["accepted"], found["clips_added"]) == (True, len(FILES))


def test_a_part_of_another_size_or_hash_is_refused(api: Caller, study: Study, small_parts: int) -> None:
    content = bytes(50_000)
    upload = begun(api, content).json()
    refused(put(api, upload, 1, content[:100]), 422, "part_size")
    refused(put(api, upload, 1, content), 413, "too_large")
    refused(put(api, upload, 1, content[:small_parts], "0" * 64), 422, "part_hash")
    refused(put(api, upload, 3, content[:small_parts]), 422, "part_size")
    for number in (0, 4, 10**30):
        refused(put(api, upload, number, b""), 404, "not_found")
    assert api.get(upload["url"]).json()["missing"] == [1, 2, 3]


def test_parts_that_together_are_another_file_are_refused(api: Caller, study: Study) -> None:
    upload = begun(api, b"abc").json()
    put(api, upload, 1, b"abd")
    refused(api.files(PATH, {"manifest": lists()["manifest"], "upload": upload["id"]}), 409, "upload_damaged")


def test_a_file_beyond_the_limit_is_refused_before_it_is_sent(api: Caller, settings: Any) -> None:
    settings.UPLOAD_LIMIT_MB = 1
    assert [error["field"] for error in refused(begun(api, b"", bytes=2**20 + 1), 422, "invalid")] == ["bytes"]
    for wrong in ({"bytes": 0}, {"sha256": "xyz"}, {"name": ""}):
        refused(begun(api, b"abc", **wrong), 422, "invalid")


def test_an_upload_belongs_to_whoever_began_it(api: Caller, rita: User, files: Path) -> None:
    upload = begun(api, b"abc").json()
    other = Caller(token(researcher("otto")))
    refused(other.get(upload["url"]), 404, "not_found")
    refused(put(other, upload, 1, b"abc"), 404, "not_found")
    put(api, upload, 1, b"abc")
    assert api.send("DELETE", upload["url"]).status_code == 204
    assert stored(files) == []


def test_a_form_with_too_much_text_is_refused_as_too_large(api: Caller, study: Study, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    refused(api.files(PATH, {**lists(), "idea": "x" * 1001}), 413, "too_large")


def test_uploads_that_were_given_up_go_away(api: Caller, files: Path) -> None:
    old, new = begun(api, b"abc").json(), begun(api, b"abc").json()
    for upload in (old, new):
        put(api, upload, 1, b"abc")
    Upload.objects.filter(key=old["id"]).update(created_at=clock.now() - timedelta(hours=25))
    uploads_services.discard_old(clock.now())
    assert [upload.key for upload in Upload.objects.all()] == [new["id"]]
    assert len(stored(files)) == 1


def test_nobody_has_more_than_a_few_uploads_under_way(api: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads_services, "AT_ONCE", 2)
    statuses = [begun(api, b"abc").status_code for _ in range(3)]
    assert statuses == [201, 201, 409]

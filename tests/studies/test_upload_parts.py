"""Files come in parts, through this server or directly to a bucket, and become clips."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import numpy as np
import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import Upload, UploadPart, User
from accounts.uploads import direct as direct_parts
from accounts.uploads import services
from core import clock
from core.files import storage
from core.jobs import DONE
from core.tasks import sweep
from studies.imports import requests
from studies.models import ClipImport, Study
from tests import audio
from tests.buckets import names, store
from tests.researchers import logged_in, researcher, url
from tests.world import make_study

pytestmark = pytest.mark.django_db
ROWS = [{"file": "a.wav", "system": "gamma", "role": "test", "text_id": "new"}]
MIB = 1 << 20


@pytest.fixture
def rita() -> User:
    return researcher("rita")


@pytest.fixture
def page(rita: User) -> Client:
    return logged_in(rita)


@pytest.fixture
def draft(rita: User, files: Path) -> Study:
    study = make_study(now=clock.now(), launch=False)
    Study.objects.filter(pk=study.pk).update(owner=rita)
    study.refresh_from_db()
    return study


@pytest.fixture
def archive() -> bytes:
    """A ZIP of three parts: a clip, and something that the manifest does not name and that can't be packed."""
    import random

    return audio.zipped({"a.wav": audio.wav(1.0), "extra.bin": random.Random(1).randbytes(18 * MIB)})


@pytest.fixture
def direct(settings: Any, buckets: Any, endpoint: str, draft: Study) -> Any:
    """Keep files in a bucket that browsers can reach."""
    settings.STORAGES = {**settings.STORAGES, "default": store("earshot-tests", endpoint)}
    settings.S3_PUBLIC_ENDPOINT = endpoint
    return buckets


def ask(page: Client, method: str, address: str, body: Any = None) -> Any:
    return page.generic(method, address, json.dumps(body) if body else "", content_type="application/json")


def begin(page: Client, study: Study, size: int, name: str = "clips.zip", changed: int = 0) -> Any:
    return announce(page, study, [[name, size, changed]])


def announce(page: Client, study: Study, files: Any) -> Any:
    listing = SimpleUploadedFile("files.json", json.dumps(files).encode())
    return page.post(url("uploads", study.slug), {"files": listing})


def put(page: Client, state: dict[str, Any], target: dict[str, Any], content: bytes) -> int:
    """Put one part of `content` where the server wants it."""
    start = (target["number"] - 1) * state["part_bytes"]
    part = content[start : start + state["part_bytes"]]
    if state["is_direct"]:
        return httpx.put(target["url"], content=part).status_code
    return page.put(target["url"], part, content_type="application/octet-stream").status_code


def send(page: Client, state: dict[str, Any], content: bytes) -> dict[str, Any]:
    """Put every part that is missing, and ask for the whole."""
    for target in state["next"]:
        assert put(page, state, target, content) in (200, 204)
    whole: dict[str, Any] = ask(page, "POST", f"{state['url']}whole/").json()
    return whole


def add(page: Client, study: Study, key: str, manifest: str = "manifest.csv") -> Any:
    table = SimpleUploadedFile(manifest, audio.manifest(ROWS))
    return page.post(url("clips", study.slug), {"upload": key, "manifest": table})


def run(study: Study) -> ClipImport:
    job = ClipImport.objects.filter(study=study).latest("pk")
    requests.run_import(pk=job.pk)
    job.refresh_from_db()
    return job


def assert_it_becomes_clips(page: Client, draft: Study, archive: bytes, *, is_direct: bool) -> None:
    state = begin(page, draft, len(archive)).json()
    assert (state["parts"], state["missing"], state["is_direct"]) == (3, 3, is_direct)
    # The second part gets lost on the way: what has come is not asked for again.
    for target in (state["next"][2], state["next"][0]):
        put(page, state, target, archive)
    state = ask(page, "GET", state["url"]).json()
    assert [target["number"] for target in state["next"]] == [2]
    refused = ask(page, "POST", f"{state['url']}whole/")
    assert (refused.status_code, refused.json()["error"]) == (409, "upload_incomplete")
    state = send(page, state, archive)
    assert (state["is_whole"], state["missing"], state["next"]) == (True, 0, [])
    assert ask(page, "POST", f"{state['url']}whole/").json()["is_whole"], "asked twice"
    # A mistake in the rest of the form doesn't cost the archive.
    wrong = add(page, draft, state["key"], "manifest.doc")
    assert (wrong.status_code, b"was sent and need not be sent again" in wrong.content) == (200, True)
    assert add(page, draft, state["key"]).status_code == 302
    assert add(page, draft, state["key"]).status_code == 200, "the same archive twice"
    assert ask(page, "DELETE", state["url"]).status_code == 409, "an import needs it"
    job = run(draft)
    assert (job.state, job.clips_added, job.archive_name) == (DONE, 1, "clips.zip"), job.report
    assert not Upload.objects.exists()
    assert ClipImport.objects.exclude(archive_name="").count() == 1


def test_an_archive_in_parts_by_way_of_this_server_becomes_clips(
    page: Client, draft: Study, archive: bytes, files: Path
) -> None:
    assert_it_becomes_clips(page, draft, archive, is_direct=False)
    assert not Upload.objects.exists()
    assert not list((files / "uploads").rglob("*.*"))


@pytest.mark.s3
def test_an_archive_in_parts_straight_to_a_bucket_becomes_clips(
    page: Client, draft: Study, archive: bytes, direct: Any
) -> None:
    assert_it_becomes_clips(page, draft, archive, is_direct=True)
    assert [name for name in names(direct) if name.startswith("uploads/")] == []
    assert not UploadPart.objects.exists(), "no byte went by way of this server"


@pytest.mark.s3
def test_an_address_for_a_part_is_good_for_that_part_alone_and_for_an_hour(
    page: Client,
    draft: Study,
    direct: Any,
    endpoint: str,
) -> None:
    state = begin(page, draft, 9 * MIB, name="secret-system.zip").json()
    for target, size in zip(state["next"], (8 * MIB, MIB), strict=True):
        parts = urlsplit(target["url"])
        signed = {name: values[0] for name, values in parse_qs(parts.query).items()}
        assert f"{parts.scheme}://{parts.netloc}" == endpoint
        assert (signed["X-Amz-Expires"], signed["partNumber"]) == ("3600", str(target["number"]))
        assert "content-length" in signed["X-Amz-SignedHeaders"], f"of {size} bytes and no others"
        assert "secret" not in target["url"]
        assert parts.path.startswith("/earshot-tests/uploads/")


@pytest.mark.s3
def test_a_part_of_another_size_counts_as_missing(page: Client, draft: Study, direct: Any) -> None:
    state = begin(page, draft, 9 * MIB).json()
    httpx.put(state["next"][0]["url"], content=bytes(8 * MIB))
    httpx.put(state["next"][1]["url"], content=bytes(2 * MIB))
    again = ask(page, "GET", state["url"]).json()
    assert [target["number"] for target in again["next"]] == [2]
    assert ask(page, "POST", f"{state['url']}whole/").status_code == 409
    assert names(direct) == []


@pytest.mark.s3
def test_what_is_given_up_leaves_nothing_in_the_bucket(page: Client, draft: Study, direct: Any, rita: User) -> None:
    given_up = begin(page, draft, 9 * MIB).json()
    put(page, given_up, given_up["next"][0], bytes(9 * MIB))
    assert ask(page, "DELETE", given_up["url"]).status_code == 204
    forgotten = begin(page, draft, 9 * MIB, changed=1).json()
    assert len(direct.list_multipart_uploads(Bucket="earshot-tests")["Uploads"]) == 1
    Upload.objects.filter(key=forgotten["key"]).update(created_at=clock.now() - timedelta(hours=25))
    services.discard_old(now=clock.now())
    assert direct.list_multipart_uploads(Bucket="earshot-tests").get("Uploads", []) == []
    assert not Upload.objects.exists()
    assert ask(page, "GET", forgotten["url"]).status_code == 404


@pytest.mark.s3
def test_a_lost_answer_about_the_whole_does_not_cost_the_archive(page: Client, draft: Study, direct: Any) -> None:
    for is_wanted in (True, False):
        state = begin(page, draft, 9 * MIB).json()
        for target in state["next"]:
            put(page, state, target, bytes(9 * MIB))
        row = Upload.objects.get(key=state["key"])
        bucket: Any = direct_parts.store_of(row)
        came = bucket.parts(row.target, row.multipart)
        # The bucket did it, and nobody here heard of it.
        bucket.finish_parts(row.target, row.multipart, {number: tag for number, (_size, tag) in came.items()})
        if is_wanted:
            assert ask(page, "GET", state["url"]).json()["missing"] == 0
            assert ask(page, "POST", f"{state['url']}whole/").json()["is_whole"] is True
            assert names(direct) == [row.target]
        assert ask(page, "DELETE", state["url"]).status_code == 204
        assert names(direct) == []


@pytest.mark.s3
def test_objects_are_private_and_encrypted_as_the_settings_ask(
    settings: Any,
    page: Client,
    draft: Study,
    direct: Any,
    endpoint: str,
) -> None:
    asked = store("earshot-tests", endpoint, object_parameters={"ServerSideEncryption": "AES256"})
    settings.STORAGES = {**settings.STORAGES, "default": asked}
    put_whole = storage.put("clips/1", b"x")
    state = begin(page, draft, 9 * MIB).json()
    send(page, state, bytes(9 * MIB))
    in_parts = Upload.objects.get().target
    for name in (put_whole, in_parts):
        assert direct.head_object(Bucket="earshot-tests", Key=name)["ServerSideEncryption"] == "AES256"
    # Of objects in parts, the server of the tests keeps no access list.
    assert httpx.get(f"{endpoint}/earshot-tests/{put_whole}").status_code == 403
    with default_storage.open(put_whole) as file:
        assert file.read() == b"x"


@pytest.mark.s3
def test_the_page_may_send_to_the_store_and_no_other_page_may(
    page: Client,
    draft: Study,
    direct: Any,
    endpoint: str,
) -> None:
    assert f"connect-src 'self' {endpoint};" in page.get(url("clips", draft.slug))["Content-Security-Policy"]
    assert "connect-src 'self';" in page.get(url("launch", draft.slug))["Content-Security-Policy"]


def test_without_an_address_for_browsers_a_bucket_gets_parts_by_way_of_this_server(page: Client, draft: Study) -> None:
    assert begin(page, draft, 9 * MIB).json()["is_direct"] is False
    assert "connect-src 'self';" in page.get(url("clips", draft.slug))["Content-Security-Policy"]


def test_only_who_may_change_the_study_and_began_the_upload_gets_at_it(page: Client, draft: Study) -> None:
    state = begin(page, draft, 9 * MIB).json()
    addresses = [url("uploads", draft.slug), state["url"], f"{state['url']}whole/", state["next"][0]["url"]]
    other = logged_in(researcher("otto"))
    another = make_study(now=clock.now(), launch=False)
    Study.objects.filter(pk=another.pk).update(owner=User.objects.get(username="otto"))
    for client, expected in ((Client(), {302}), (other, {403, 404})):
        for method, address in zip(("POST", "GET", "POST", "PUT"), addresses, strict=True):
            body = {"name": "a.zip", "bytes": 1}
            assert ask(client, method, address, body).status_code in expected, (method, address)
    elsewhere = url("upload", another.slug, state["key"])
    assert ask(other, "GET", elsewhere).status_code == 404
    assert add(other, another, state["key"]).status_code == 200
    assert not ClipImport.objects.exists()
    assert Upload.objects.count() == 1


@pytest.mark.parametrize(
    "said",
    [[], [["a.wav", 0, 0]], [["a.wav", 3 << 31, 0]], [["", 9, 0]], [["a\0.wav", 9, 0]], [["x" * 1001, 9, 0]], "a.wav",
     [["a.wav", 9]], [["a.wav", "9", 0]], [["a.wav", -1, 0]], [["a.wav", True, 0]], [[7, 9, 0]], [7],
     [["a.wav", 9, 0], ["a.wav", 9, 0]]],
)  # fmt: skip
def test_what_cannot_be_files_is_refused_before_it_is_sent(page: Client, draft: Study, said: Any) -> None:
    refused = announce(page, draft, said)
    assert refused.status_code == 422
    assert refused.json()["message"]
    assert not Upload.objects.exists()


def test_files_of_a_folder_share_parts_and_become_clips(page: Client, draft: Study) -> None:
    contents = {f"delta/{number}.wav": audio.wav(0.5 + number / 10) for number in range(5)}
    files = [[path, len(content), 0] for path, content in contents.items()]
    state = announce(page, draft, files).json()
    assert (state["parts"], state["bytes"]) == (1, sum(map(len, contents.values())))
    state = send(page, state, b"".join(contents.values()))
    rows = [{"file": path, "system": "delta", "role": "test", "text_id": path[6:7]} for path in contents]
    table = SimpleUploadedFile("manifest.csv", audio.manifest(rows))
    assert page.post(url("clips", draft.slug), {"upload": state["key"], "manifest": table}).status_code == 302
    job = run(draft)
    assert (job.clips_added, job.archive_name, job.report) == (5, "delta", [])
    durations = draft.clips.filter(system__name="delta").order_by("file").values_list("duration", flat=True)
    assert list(durations) == pytest.approx([0.5, 0.6, 0.7, 0.8, 0.9], abs=0.01)
    assert not Upload.objects.exists()
    assert not UploadPart.objects.exists()


def test_the_same_files_sent_again_continue_and_others_do_not(page: Client, draft: Study) -> None:
    files = [["a.wav", 9 * MIB, 1], ["b.wav", MIB, 2]]
    state = announce(page, draft, files).json()
    put(page, state, state["next"][0], bytes(10 * MIB))
    again = announce(page, draft, files).json()
    assert (again["key"], again["missing"]) == (state["key"], 1)
    assert b"Sending a.wav (10.0\xc2\xa0MB) was interrupted." in page.get(url("clips", draft.slug)).content
    changed = announce(page, draft, [["a.wav", 9 * MIB, 1], ["b.wav", MIB, 3]]).json()
    assert (changed["key"] != state["key"], changed["missing"]) == (True, 2)


def test_after_a_refused_table_files_are_not_sent_again(page: Client, draft: Study) -> None:
    contents = {"delta/1.wav": audio.wav(1.0), "delta/2.wav": audio.wav(1.2)}
    state = announce(page, draft, [[path, len(content), 0] for path, content in contents.items()]).json()
    send(page, state, b"".join(contents.values()))
    wrong = SimpleUploadedFile("manifest.csv", audio.manifest([{"file": "delta/3.wav", "system": "a", "role": "test"}]))
    assert page.post(url("clips", draft.slug), {"upload": state["key"], "manifest": wrong}).status_code == 302
    job = run(draft)
    assert (job.clips_added, job.refusals) == (0, 1)
    shown = page.get(url("import", draft.slug, job.pk)).content
    assert b"was sent and need not be sent again" in shown
    proposed = page.post(url("clip_table", draft.slug), {"upload": state["key"]}).json()
    assert [row["file"] for row in proposed["rows"]] == list(contents)
    right = SimpleUploadedFile(
        "manifest.csv", audio.manifest([{"file": path, "system": "a", "role": "test"} for path in contents])
    )
    assert page.post(url("clips", draft.slug), {"upload": state["key"], "manifest": right}).status_code == 302
    again = ClipImport.objects.latest("pk")
    requests.run_import(pk=again.pk)
    again.refresh_from_db()
    assert again.clips_added == 2
    assert not Upload.objects.exists()


def test_clips_whose_end_is_uncertain_wait_for_a_tick_and_are_not_sent_again(page: Client, draft: Study) -> None:
    noise = np.random.default_rng(1).integers(0, 256, 8000, dtype=np.uint8).tobytes()
    contents = {"delta/1.wav": audio.wav(1.2), "delta/2.wav": audio.wav(1.0) + noise}
    state = announce(page, draft, [[path, len(content), 0] for path, content in contents.items()]).json()
    send(page, state, b"".join(contents.values()))
    rows = [{"file": path, "system": "a", "role": "test"} for path in contents]

    def imported(**ticks: str) -> ClipImport:
        table = SimpleUploadedFile("manifest.csv", audio.manifest(rows))
        given = {"upload": state["key"], "manifest": table, "leaves_out": "on", "known": "keep", **ticks}
        assert page.post(url("clips", draft.slug), given).status_code == 302
        return run(draft)

    first = imported()
    assert (first.clips_added, first.uncertain) == (1, 1)
    shown = page.get(url("import", draft.slug, first.pk)).content.decode()
    assert "Import the clips whose end is uncertain" in shown
    second = imported(keeps_declared="on")
    assert (second.clips_added, second.uncertain) == (1, 0)
    assert draft.clips.get(file="delta/2.wav").duration == 1.0
    assert not Upload.objects.exists()


def test_zips_among_files_are_unpacked_below_their_name(page: Client, draft: Study) -> None:
    contents = {
        "epsilon.zip": audio.zipped({"1.wav": audio.wav(1.0), "__MACOSX/._1.wav": b"x"}),
        "loose/1.wav": audio.wav(1.2),
        "zeta.zip": audio.zipped({"1.wav": audio.wav(1.4)}),
    }
    state = announce(page, draft, [[path, len(content), 0] for path, content in contents.items()]).json()
    send(page, state, b"".join(contents.values()))
    rows = [{"file": f"{name}/1.wav", "system": name, "role": "test"} for name in ("epsilon", "zeta", "loose")]
    table = SimpleUploadedFile("manifest.csv", audio.manifest(rows))
    page.post(url("clips", draft.slug), {"upload": state["key"], "manifest": table})
    job = run(draft)
    assert job.report == []
    assert job.clips_added == 3


def test_an_import_that_is_over_keeps_no_upload_from_being_deleted(page: Client, draft: Study, archive: bytes) -> None:
    state = begin(page, draft, len(archive)).json()
    send(page, state, archive)
    add(page, draft, state["key"])
    # The worker was killed after it had finished the import, before it let go of the upload.
    ClipImport.objects.update(state=DONE)
    Upload.objects.update(created_at=clock.now() - timedelta(hours=25))
    for _next in range(2):
        sweep()
    assert not Upload.objects.exists()


def test_a_part_of_the_wrong_size_or_number_is_refused(page: Client, draft: Study) -> None:
    state = begin(page, draft, 9 * MIB).json()
    address = state["next"][0]["url"]
    for content, where in ((b"short", address), (bytes(8 * MIB + 1), address), (b"x", address.replace("/1/", "/3/"))):
        assert page.put(where, content, content_type="application/octet-stream").status_code in (404, 422)
    assert ask(page, "GET", state["url"]).json()["missing"] == 2
    for method, where in (("GET", address), ("GET", url("uploads", draft.slug)), ("PATCH", state["url"])):
        assert ask(page, method, where).status_code == 405


def test_nobody_has_more_than_ten_uploads_under_way(page: Client, draft: Study) -> None:
    codes = [begin(page, draft, 9, changed=number).status_code for number in range(11)]
    assert codes == [201] * 10 + [409]

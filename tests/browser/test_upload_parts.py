"""A large archive goes straight to the store from the researcher's browser, and goes on after the network was away."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.core.management import call_command
from playwright.sync_api import BrowserContext, Error, Page, Request, expect

from accounts.models import User
from accounts.uploads.models import Upload
from core import clock
from studies.imports import requests
from studies.models import ClipImport, Study
from tests import audio
from tests.browser.test_researcher import log_in
from tests.buckets import store
from tests.researchers import url
from tests.world import make_study

pytestmark = [pytest.mark.s3, pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]


@pytest.fixture
def tab(context: BrowserContext, live_server: Any, settings: Any, buckets: Any, endpoint: str) -> Iterator[Page]:
    """Open a tab of a server whose files lie in a bucket that browsers can reach."""
    # 0.0.0.0 is no address that a browser asks.
    outside = endpoint.replace("0.0.0.0", "127.0.0.1")
    there = store("earshot-tests", endpoint)
    settings.STORAGES = {**settings.STORAGES, "default": there, "s3": there}
    settings.S3_BUCKET, settings.S3_PUBLIC_ENDPOINT, settings.BASE_URL = "earshot-tests", outside, str(live_server)
    call_command("ensure_bucket")
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda line: errors.append(line.text) if "Content Security Policy" in line.text else None)
    yield page
    assert errors == []


def test_an_archive_is_sent_to_the_store_in_parts_past_a_lost_connection(
    tab: Page, context: BrowserContext, live_server: Any, tmp_path: Path
) -> None:
    study = make_study(now=clock.now(), launch=False)
    log_in(tab, url("clips", study.slug))
    Study.objects.filter(pk=study.pk).update(owner=User.objects.get(username="rita"))
    tab.goto(url("clips", study.slug))
    contents = {"a.wav": audio.wav(1.0), "extra.bin": random.Random(1).randbytes(18 << 20)}
    (tmp_path / "clips.zip").write_bytes(audio.zipped(contents))
    rows = [{"file": "a.wav", "system": "gamma", "role": "test", "text_id": "new"}]
    manifest = {"name": "manifest.csv", "mimeType": "text/csv", "buffer": audio.manifest(rows)}
    tab.get_by_label("Archive of audio files").set_input_files(tmp_path / "clips.zip")
    tab.get_by_label("Manifest (CSV)").set_input_files(manifest)  # type: ignore[arg-type]

    went: list[Request] = []
    context.on("request", lambda request: went.append(request) if request.method == "PUT" else None)
    # The connection to the store breaks under the second part.
    second = re.compile(r"partNumber=2\b")
    tab.route(second, lambda route: route.abort("internetdisconnected"))
    expect(tab.get_by_role("button", name="Stop the upload")).to_be_hidden()
    tab.get_by_role("button", name="Import").click()
    expect(tab.get_by_role("button", name="Stop the upload")).to_be_focused()
    expect(tab.get_by_text("The upload continues automatically")).to_be_visible(timeout=30_000)
    expect(tab.get_by_role("status").filter(has_text="MB")).to_contain_text("8 / 18 MB")
    tab.unroute(second)
    tab.wait_for_url("**/imports/*/", timeout=60_000)

    job = ClipImport.objects.get()
    parts = Counter(re.findall(r"partNumber=(\d)", request.url)[0] for request in went)
    assert (parts["1"], parts["3"]) == (1, 1), "what has come is not sent again"
    assert parts["2"] > 1
    assert {urlsplit(request.url).netloc for request in went} != {urlsplit(str(live_server)).netloc}
    assert not any("cookie" in request.all_headers() for request in went)
    requests.run_import(pk=job.pk)
    assert not Upload.objects.exists()
    # The page loads itself anew when its import is done, and may do so right now.
    with suppress(Error):
        tab.reload()
    expect(tab.get_by_text("1 clip was added.")).to_be_visible()

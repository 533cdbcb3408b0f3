"""Which clips the application leaves to nginx, and what it believes of a report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from core import clock
from core.files import storage
from raters.models import TrialClip
from raters.rating import nginx
from tests import screens
from tests.world import Person, audio_url, carry, make_study

HEAD = b"<190>Nov 24 10:49:45 earshot: "


@pytest.fixture
def person(db: None, settings: Any, files: Path) -> Person:
    settings.SENDFILE = True
    return Person(make_study(now=clock.now()), clock.now()).start()


@pytest.fixture
def client(person: Person) -> Client:
    return carry(person)


def row(person: Person) -> TrialClip:
    return TrialClip.objects.select_related("clip").get(key=person.current.trial.clips[0].key)


def report(clip: TrialClip, rest: str, *, size: int = 0) -> None:
    nginx.note(HEAD + f"{clip.pk} {size or clip.clip.rendition_bytes} {rest}".encode())


def test_a_request_that_was_authorised_counts_for_nothing(person: Person, client: Client, files: Path) -> None:
    response = client.get(audio_url(person))
    assert (response.status_code, response.content) == (200, b"")
    path = response["X-Accel-Redirect"].removeprefix("/sent-by-nginx/")
    clip = row(person)
    assert (files / path).stat().st_size == clip.clip.rendition_bytes
    assert response["X-Earshot-Clip"] == f"{clip.pk} {clip.clip.rendition_bytes}"
    assert (clip.sent, clip.fetched_at) == ([], None)


@pytest.mark.parametrize(
    "headers",
    [{"If-Range": '"x"'}, {"If-None-Match": "*"}, {"If-Modified-Since": "Tue, 24 Nov 2026 10:00:00 GMT"},
     {"Range": "bytes=0-1,4-5"}, {"Range": "bytes=9-1"}],
)  # fmt: skip
def test_what_nginx_would_answer_otherwise_the_application_answers(
    person: Person, client: Client, headers: dict[str, str]
) -> None:
    assert "X-Accel-Redirect" not in client.get(audio_url(person), headers=headers).headers
    assert "X-Accel-Redirect" not in client.head(audio_url(person)).headers


def test_a_file_that_is_gone_or_cut_is_not_left_to_nginx(person: Person, client: Client, files: Path) -> None:
    path = files / row(person).clip.rendition
    path.write_bytes(path.read_bytes()[:-1])
    assert "X-Accel-Redirect" not in client.get(audio_url(person)).headers
    path.unlink()
    assert client.get(audio_url(person)).status_code == 503


def test_nothing_is_left_to_nginx_without_the_setting(person: Person, client: Client, settings: Any) -> None:
    settings.SENDFILE = False
    assert "X-Accel-Redirect" not in client.get(audio_url(person)).headers


def test_clips_of_a_screen_are_made_by_the_application(db: None, settings: Any, files: Path) -> None:
    settings.SENDFILE = True
    person = Person(screens.make_study(now=clock.now()), clock.now()).start()
    response = carry(person).get(audio_url(person))
    assert (response.status_code, response.streaming) == (200, True)
    assert "X-Accel-Redirect" not in response.headers


def test_a_clip_of_a_bucket_is_sent_from_its_copy_once_there_is_one(
    person: Person, client: Client, settings: Any, tmp_path: Path
) -> None:
    settings.AUDIO_CACHE, settings.AUDIO_CACHE_BYTES = tmp_path / "cache", 1 << 24
    first = client.get(audio_url(person))
    assert "X-Accel-Redirect" not in first.headers
    content = b"".join(first)  # type: ignore[call-overload]
    path = client.get(audio_url(person))["X-Accel-Redirect"].removeprefix("/sent-by-nginx/")
    assert (tmp_path / "cache" / path).read_bytes() == content
    (tmp_path / "cache" / path).write_bytes(content[:-1] + b"x")
    assert storage.sound_on_disk(row(person).clip.rendition, len(content)) is None


def test_reported_bytes_count_until_they_cover_the_file(person: Person) -> None:
    clip = row(person)
    size = clip.clip.rendition_bytes
    report(clip, f"206 10 bytes 10-19/{size}")
    # Hung up after five bytes of ten.
    report(clip, f"206 5 bytes 40-49/{size}")
    assert row(person).sent == [[10, 20], [40, 45]]
    report(clip, f"200 {size - 1} -")
    assert row(person).fetched_at is None
    report(clip, f"200 {size} -")
    assert row(person).fetched_at is not None


@pytest.mark.parametrize(
    "rest",
    ["404 {size} -", "503 {size} -", "200 0 -", "206 {size} -", "206 {size} bytes 0-9/99", "304 0 -", "200 -9 -",
     "206 0 bytes 0-9/{size}", "", "200 {size}"],
)  # fmt: skip
def test_reports_of_anything_else_count_for_nothing(person: Person, rest: str) -> None:
    report(row(person), rest.format(size=row(person).clip.rendition_bytes))
    assert (row(person).sent, row(person).fetched_at) == ([], None)
    nginx.note(b"\xff" * 2000)


def test_a_report_of_an_erased_trial_is_no_error(person: Person) -> None:
    clip = row(person)
    clip.pk += 10_000
    report(clip, f"200 {clip.clip.rendition_bytes} -")
    report(clip, f"206 10 bytes 10-19/{clip.clip.rendition_bytes}")

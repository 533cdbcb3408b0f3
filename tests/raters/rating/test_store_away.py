"""A session goes on while the store of files is away: its clips lie on this machine's disk by then."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import storages

from core import clock
from core.files import storage
from raters.models import Answer, TrialClip
from raters.rating import listening, prefetch
from tests.buckets import client as look
from tests.buckets import store
from tests.world import Person, audio_url, carry, make_study

pytestmark = [pytest.mark.s3, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def server(settings: Any, tmp_path: Path) -> Iterator[Any]:
    """Keep files in a bucket whose server a test may stop, and copies on the disk."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from moto.server import ThreadedMotoServer

        moto = ThreadedMotoServer(port=0, verbose=False)
        moto.start()
    host, port = moto.get_host_and_port()
    look(f"http://{host}:{port}").create_bucket(Bucket="earshot-tests")
    settings.STORAGES = {**settings.STORAGES, "default": store("earshot-tests", f"http://{host}:{port}")}
    settings.AUDIO_CACHE, settings.AUDIO_CACHE_BYTES = tmp_path / "cache", 1 << 24
    # Other tests had batches of the same numbers.
    prefetch._seen.clear()
    yield moto
    moto.stop()


def body(response: Any) -> bytes:
    return b"".join(response)


def test_the_clips_of_a_session_still_play_when_the_store_is_gone(server: Any) -> None:
    study = make_study(now=clock.now(), texts=24)
    for number, clip in enumerate(study.clips.all()):
        # Files of their own, of one length.
        clip.rendition = storage.put("renditions", b"RIFF" + bytes([number]) * (clip.rendition_bytes - 4))
        clip.save()
    person = Person(study, clock.now()).start()
    browser = carry(person)
    heard = set()
    for number in range(10):
        whole = browser.get(audio_url(person))
        assert whole.status_code == 200
        content = body(whole)
        assert len(content) == int(whole["Content-Length"])
        part = browser.get(audio_url(person), headers={"Range": "bytes=10-19"})
        assert (part.status_code, body(part)) == (206, content[10:20])
        heard.add(content)
        if number == 0:
            prefetch.finish()
            server.stop()
        person.play()
        person.wait(2)
        person.send(person.submission())
    assert len(heard) == 10, "each trial has its own clip"
    assert Answer.objects.filter(trial__session=person.session).count() == 10


def test_a_clip_that_cannot_be_had_is_refused_in_a_way_that_invites_another_try(server: Any) -> None:
    person = Person(make_study(now=clock.now(), texts=24), clock.now()).start()
    browser = carry(person)
    server.stop()
    refused = browser.get(audio_url(person))
    assert (refused.status_code, refused["Retry-After"], refused.content) == (503, "2", b"")
    assert TrialClip.objects.filter(fetched_at__isnull=False).count() == 0
    assert browser.head(audio_url(person)).status_code == 200
    prefetch.finish()


def test_each_batch_is_fetched_once_by_a_process(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    person = Person(make_study(now=clock.now(), texts=24), clock.now()).start()
    browser = carry(person)
    asked: list[int] = []
    real = listening.remaining_clips

    def to_come(batch: int) -> list[tuple[str, int]]:
        asked.append(batch)
        return real(batch)

    monkeypatch.setattr(listening, "remaining_clips", to_come)
    for _ in range(3):
        body(browser.get(audio_url(person)))
    prefetch.finish()
    assert len(asked) == 1


def test_a_batch_that_fails_in_whatever_way_does_not_end_the_fetching(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.AUDIO_CACHE_BYTES = 1 << 20
    asked: list[int] = []

    def to_come(batch: int) -> list[tuple[str, int]]:
        asked.append(batch)
        raise RuntimeError("what nobody thought of")

    monkeypatch.setattr(listening, "remaining_clips", to_come)
    for batch in (-1, -2):
        prefetch._seen.pop(batch, None)
        prefetch.batch(batch)
        prefetch.finish()
        assert prefetch._threads[0].is_alive()
    assert asked == [-1, -2]


def test_a_folder_needs_no_copies(files: Path, settings: Any, tmp_path: Path) -> None:
    settings.AUDIO_CACHE = tmp_path / "cache"
    person = Person(make_study(now=clock.now(), texts=24), clock.now()).start()
    assert body(carry(person).get(audio_url(person))).startswith(b"RIFF")
    assert settings.AUDIO_CACHE_BYTES == 0
    assert not settings.AUDIO_CACHE.exists()
    assert type(storages["default"]).__name__ == "FileSystemStorage"

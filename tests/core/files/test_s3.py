"""Files in an S3-compatible store, through the same calls as on disk."""

from __future__ import annotations

import io
import threading
import warnings
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from django.core.files.storage import storages
from django.core.management import call_command
from django.test import Client

from core import clock
from core.errors import StoreAway
from core.files import storage
from raters.models import TrialClip
from tests.buckets import side_by_side, store
from tests.world import Person, audio_url, carry, make_study

pytestmark = pytest.mark.s3
BUCKET = "earshot-tests"


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    """Start an S3-compatible server on a port of its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from moto.server import ThreadedMotoServer

        server = ThreadedMotoServer(port=0, verbose=False)
        server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def bucket(settings: Any, endpoint: str) -> Any:
    """Point the default storage at an empty private bucket."""
    import boto3

    keys = {"endpoint_url": endpoint, "region_name": "us-east-1"}
    client = boto3.client("s3", aws_access_key_id="key", aws_secret_access_key="secret", **keys)
    client.create_bucket(Bucket=BUCKET)
    options = {"bucket_name": BUCKET, "access_key": "key", "secret_key": "secret", "addressing_style": "path", **keys}
    s3 = {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": {**options, "file_overwrite": False}}
    settings.STORAGES = {**settings.STORAGES, "default": s3}
    yield client
    for entry in client.list_objects_v2(Bucket=BUCKET).get("Contents", []):
        client.delete_object(Bucket=BUCKET, Key=entry["Key"])
    client.delete_bucket(Bucket=BUCKET)


def test_bytes_come_back_and_their_name_says_nothing(bucket: Any) -> None:
    name = storage.put("renditions", b"RIFF....")
    with storage.open_file(name) as file:
        assert file.read() == b"RIFF...."
    assert name.startswith("renditions/")
    assert len(name.rpartition("/")[2]) == 32
    assert type(storages["default"]).__name__ == "S3Storage"


def test_a_missing_bucket_is_made_once(settings: Any, bucket: Any, capsys: pytest.CaptureFixture[str]) -> None:
    options = {**settings.STORAGES["default"]["OPTIONS"], "bucket_name": "earshot-made"}
    s3 = {**settings.STORAGES["default"], "OPTIONS": options}
    # A former bucket may have the same name in another place.
    side_by_side(settings, "s3", s3=s3, former=s3)
    settings.S3_BUCKET = "earshot-made"
    call_command("ensure_bucket")
    call_command("ensure_bucket")
    assert capsys.readouterr().out.splitlines() == [
        "Created the bucket earshot-made.",
        "The bucket earshot-made exists.",
    ]
    assert storage.put("clips", b"x").startswith("clips/")
    bucket.delete_object(Bucket="earshot-made", Key=bucket.list_objects_v2(Bucket="earshot-made")["Contents"][0]["Key"])
    bucket.delete_bucket(Bucket="earshot-made")


def test_a_stream_can_be_stored_and_a_missing_file_discarded(bucket: Any) -> None:
    name = storage.put("archives", io.BytesIO(b"x" * 100_000))
    assert bucket.head_object(Bucket=BUCKET, Key=name)["ContentLength"] == 100_000
    storage.discard(name)
    storage.discard(name)
    storage.discard("")
    assert bucket.list_objects_v2(Bucket=BUCKET)["KeyCount"] == 0


@pytest.mark.django_db
def test_a_rater_is_streamed_to_by_us_and_not_sent_to_the_store(bucket: Any, endpoint: str) -> None:
    person = Person(make_study(now=clock.now()), clock.now()).start()
    client: Client = carry(person)
    whole = client.get(audio_url(person))
    assert whole.status_code == 200
    content = b"".join(whole)  # type: ignore[call-overload]
    assert content.startswith(b"RIFF")
    part = client.get(audio_url(person), headers={"Range": "bytes=10-19"})
    assert b"".join(part) == content[10:20]  # type: ignore[call-overload]
    assert endpoint not in str(dict(whole.headers))
    assert TrialClip.objects.get(key=person.current.trial.clips[0].key).fetched_at is not None


def test_a_store_that_stops_within_a_file_is_away(settings: Any) -> None:
    asked: list[str] = []

    class Half(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            asked.append(self.command)
            self.send_response(200)
            self.send_header("Content-Length", "100")
            self.send_header("Connection", "close")
            self.end_headers()

        def do_GET(self) -> None:
            self.do_HEAD()
            self.wfile.write(b"half")

        def log_message(self, *arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Half)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        there = store("clips", f"http://127.0.0.1:{server.server_port}")
        settings.STORAGES = {**settings.STORAGES, "default": there}
        with pytest.raises(StoreAway):
            storage.open_file("clips/ab/half")
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    assert asked.count("GET") == 2


def test_whatever_is_asked_of_a_store_that_is_gone_it_is_away(settings: Any) -> None:
    settings.STORAGES = {**settings.STORAGES, "default": store("clips", "http://127.0.0.1:9")}
    gone: Any = storages["default"]
    for ask in (gone.delete, gone.size, gone.listdir):
        with pytest.raises(StoreAway):
            ask("clips/ab/x")

"""Messages of Prolific's: signed over the very bytes, counted once, and only ever a hint to read."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from datetime import datetime
from typing import Any

import pytest
from django.test import Client

from core.jobs import DONE, QUEUED
from raters.models import PlatformEvent, PlatformStudy, Session
from tests.raters.payments.world import World, make

pytestmark = pytest.mark.django_db
SECRET = "a secret between the two"
SENT: list[int] = []


@pytest.fixture
def world(now: datetime, settings: Any, monkeypatch: pytest.MonkeyPatch) -> World:
    settings.PROLIFIC_HOOK_SECRET = SECRET
    monkeypatch.setattr("core.clock.now", lambda: now)
    SENT.clear()
    monkeypatch.setattr("core.nudge._send", lambda task, pk: SENT.append(pk))
    made = make(now)
    PlatformStudy.objects.update(state=DONE, ended_at=now)
    return made


def send(
    world: World,
    body: bytes,
    *,
    event: str = "event-1",
    secret: str = SECRET,
    timestamp: str = "",
    **headers: str,
) -> int:
    """Post a message as Prolific would, and return the answer's status."""
    stamp = timestamp or str(int(world.now.timestamp()))
    mac = hmac.new(secret.encode(), stamp.encode() + body, hashlib.sha256).digest()
    sent = {
        "X-Event-ID": event,
        "X-Prolific-Request-Timestamp": stamp,
        "X-Prolific-Request-Signature": base64.b64encode(mac).decode(),
        **headers,
    }
    client = Client(enforce_csrf_checks=True)
    return int(client.post("/hooks/prolific", body, content_type="application/json", headers=sent).status_code)


def is_queued() -> bool:
    return PlatformStudy.objects.get().state == QUEUED


def body_of(**fields: str) -> bytes:
    return json.dumps({"event_type": "submission.status.change", **fields}).encode()


def test_crowd_07_a_signed_message_asks_for_a_reading_of_its_study(
    world: World, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        assert send(world, body_of(study_id="ext", resource_id="s-1", status="APPROVED")) == 200
    assert is_queued()
    assert [world.platform.pk] == SENT


def test_crowd_07_a_message_with_unusual_spaces_is_checked_by_its_very_bytes(world: World) -> None:
    body = b'{ "study_id" :\t"ext",\r\n\n  "status":"RETURNED" , "resource_id":"s-\\u0031"  }\n '
    assert send(world, body) == 200
    assert is_queued()


@pytest.mark.parametrize("wrong", ["", "AAAA", "ÿ"])
def test_crowd_07_a_bad_signature_is_refused(world: World, wrong: str) -> None:
    headers = {"X-Prolific-Request-Signature": wrong} if wrong != "ÿ" else {}
    secret = SECRET if wrong != "ÿ" else "another secret"
    assert send(world, body_of(study_id="ext"), secret=secret, **headers) == 401
    assert not is_queued()
    assert not PlatformEvent.objects.exists()


def test_crowd_07_the_same_event_twice_does_nothing_the_second_time(world: World) -> None:
    assert send(world, body_of(study_id="ext")) == 200
    PlatformStudy.objects.update(state=DONE)
    assert send(world, body_of(study_id="ext")) == 200
    assert not is_queued()
    assert send(world, body_of(study_id="ext"), event="event-2") == 200
    assert is_queued()


@pytest.mark.parametrize(("hours", "status"), [(0, 200), (-24, 200), (-26, 401), (1, 401)])
def test_crowd_07_a_message_is_taken_for_a_day_and_a_little_more(world: World, hours: int, status: int) -> None:
    stamp = str(int(world.now.timestamp()) + 3600 * hours)
    assert send(world, body_of(study_id="ext"), timestamp=stamp) == status


@pytest.mark.parametrize("timestamp", ["yesterday", "1e400", "nan", "9" * 30])
def test_crowd_07_a_timestamp_that_is_none_is_refused(world: World, timestamp: str) -> None:
    assert send(world, body_of(study_id="ext"), timestamp=timestamp) == 401


def test_a_server_without_a_secret_takes_no_message(world: World, settings: Any) -> None:
    settings.PROLIFIC_HOOK_SECRET = ""
    assert send(world, body_of(study_id="ext"), secret="") == 401


def test_what_a_message_claims_is_not_believed(world: World) -> None:
    person = world.finish("ann")
    world.read()
    PlatformStudy.objects.update(state=DONE)
    assert send(world, body_of(resource_id=person.session.ext_session, status="RETURNED")) == 200
    assert is_queued()
    assert world.submission(person).state == "awaiting_review"
    assert Session.objects.get(pk=person.session.pk).outcome == Session.Outcome.COMPLETE


@pytest.mark.parametrize("body", [b"", b"[]", b"no json", b'{"study_id": "unknown"}', b'{"study_id": {"a": 1}}'])
def test_a_message_about_nothing_here_is_taken_and_forgotten(world: World, body: bytes) -> None:
    assert send(world, body) == 200
    assert not is_queued()


def test_only_messages_are_taken_and_none_of_great_length(world: World) -> None:
    assert Client().get("/hooks/prolific").status_code == 405
    assert send(world, b"x" * 100_001) == 413

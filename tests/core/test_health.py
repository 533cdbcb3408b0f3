from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.core.files.storage import default_storage
from django.test import Client

from core import health

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def asked_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no answer of another test be kept."""
    monkeypatch.setattr(health, "_last", (float("-inf"), {}))


def ask() -> tuple[int, Any]:
    response = Client().get("/healthz")
    return response.status_code, json.loads(response.content)


def test_every_part_takes_something_and_gives_it_back() -> None:
    assert ask() == (200, {"status": "ok", "parts": {"database": "ok", "files": "ok"}})
    assert Session.objects.filter(pk=health.ROW).count() == 1


def test_no_file_is_left_behind() -> None:
    ask()
    assert all(not default_storage.listdir(f"health/{folder}")[1] for folder in default_storage.listdir("health")[0])


def test_a_store_that_cannot_be_written_is_named_and_why_is_only_in_the_log(
    settings: Any, tmp_path: Any, caplog: pytest.LogCaptureFixture
) -> None:
    blocked = tmp_path / "no-folder"
    blocked.write_text("a file where the folder would be")
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": blocked}}
    settings.STORAGES = {**settings.STORAGES, "default": files}
    with caplog.at_level(logging.ERROR, "core.health"):
        status, said = ask()
    assert (status, said["parts"]) == (503, {"database": "ok", "files": "failing"})
    assert "The files does not work" not in json.dumps(said)
    assert str(blocked) not in json.dumps(said)
    assert str(blocked) in caplog.text


def test_a_broker_that_nobody_runs_is_named(settings: Any, tmp_path: Any) -> None:
    settings.CELERY_BROKER_URL = f"redis+socket://:secret@{tmp_path}/none.sock"
    status, said = ask()
    assert (status, said["parts"]["broker"]) == (503, "failing")
    assert "secret" not in json.dumps(said)


def test_a_part_that_gives_back_something_else_is_failing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health.storage, "put", lambda kind, content: default_storage.save("health/x", Wrong()))
    status, said = ask()
    assert (status, said["parts"]["files"]) == (503, "failing")


class Wrong:
    """A file whose content is never what was put."""

    name = "health/x"

    def chunks(self) -> list[bytes]:
        return [b"something else"]


def test_parts_are_asked_once_in_five_seconds_however_often_somebody_calls(
    django_assert_num_queries: Any,
) -> None:
    ask()
    with django_assert_num_queries(0):
        assert ask()[0] == 200


def test_the_process_itself_answers_without_asking_anything(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        assert Client().get("/livez").json() == {"status": "ok"}


def test_health_is_answered_without_https_for_it_is_asked_from_inside(settings: Any) -> None:
    settings.SECURE_SSL_REDIRECT = True
    assert Client().get("/livez").status_code == 200
    assert ask()[0] == 200
    assert Client().get("/").status_code == 301

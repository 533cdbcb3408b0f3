from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.sessions.models import Session
from django.core.files.storage import default_storage
from django.db import connection
from django.test import Client

from core import clock
from core.models import Sweep
from core.operations import health

# The parts are read by another thread, which sees what is committed.
pytestmark = pytest.mark.django_db(transaction=True)
OUTSIDE = "198.51.100.7"


@pytest.fixture(autouse=True)
def watch(monkeypatch: pytest.MonkeyPatch) -> Iterator[health.Watch]:
    """Read the parts anew, and no longer than the test lasts."""
    own = health.Watch()
    monkeypatch.setattr(health, "parts", own.parts)
    yield own
    own.stop()


def ask(page: str = "/healthz") -> tuple[int, Any]:
    response = Client().get(page)
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
    with caplog.at_level(logging.ERROR, "core.operations.health"):
        status, said = ask()
    assert (status, said["parts"]) == (503, {"database": "ok", "files": "failing"})
    assert "The files does not work" not in json.dumps(said)
    assert str(blocked) not in json.dumps(said)
    assert str(blocked) in caplog.text


def test_processes_that_check_at_once_do_not_read_each_others_marks() -> None:
    def check_often() -> bool:
        try:
            return all(health.works("database", health.database) for _ in range(40))
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        processes = [pool.submit(check_often) for _ in range(2)]
    assert [each.result() for each in processes] == [True, True]


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


def test_who_asks_waits_for_no_part_and_asks_none(
    monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    asked = []
    monkeypatch.setattr(health, "EVERY", 1000)
    monkeypatch.setattr(health, "checks", lambda: {"database": lambda: asked.append(1)})
    for _ in range(20):
        with django_assert_num_queries(0):
            assert ask("/readyz")[0] == 200
    assert len(asked) == 1


def test_a_part_that_hangs_is_failing_and_is_not_asked_again_meanwhile(
    monkeypatch: pytest.MonkeyPatch, watch: health.Watch, caplog: pytest.LogCaptureFixture
) -> None:
    over, asked = Event(), []

    def hang() -> None:
        asked.append(1)
        over.wait(60)

    monkeypatch.setattr(health, "LIMIT", 0.1)
    monkeypatch.setattr(health, "checks", lambda: {"database": lambda: None, "files": hang})
    assert ask() == (503, {"status": "failing", "parts": {"database": "ok", "files": "failing"}})
    assert watch._read() == {"database": True, "files": False}
    assert len(asked) == 1
    assert ask("/readyz") == (200, {"status": "ok"})
    assert "The files did not answer" in caplog.text
    over.set()


def test_nothing_is_read_when_nobody_has_asked_for_a_while(
    monkeypatch: pytest.MonkeyPatch, watch: health.Watch
) -> None:
    monkeypatch.setattr(health, "EVERY", 0.01)
    monkeypatch.setattr(health, "IDLE", 0.02)
    monkeypatch.setattr(health, "checks", lambda: {"database": lambda: None})
    ask("/readyz")
    thread = watch.thread
    if thread is not None:
        thread.join(30)
    assert watch.thread is None
    assert ask("/readyz")[0] == 200


def test_without_a_database_no_process_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise OSError("no database")

    monkeypatch.setattr(health, "checks", lambda: {"database": broken})
    assert ask("/readyz") == (503, {"status": "failing"})


@pytest.mark.parametrize(
    ("asks", "status"),
    [
        ({"REMOTE_ADDR": "127.0.0.1"}, 200),
        ({"REMOTE_ADDR": "::1"}, 200),
        ({"REMOTE_ADDR": OUTSIDE}, 404),
        ({"REMOTE_ADDR": ""}, 404),
        # A proxy on this machine passes on what comes from elsewhere.
        ({"REMOTE_ADDR": "127.0.0.1", "HTTP_X_FORWARDED_FOR": OUTSIDE}, 404),
        ({"REMOTE_ADDR": "127.0.0.1", "HTTP_X_FORWARDED_FOR": "127.0.0.1"}, 404),
        ({"REMOTE_ADDR": OUTSIDE, "HTTP_AUTHORIZATION": "Bearer the-token"}, 200),
        ({"REMOTE_ADDR": OUTSIDE, "HTTP_AUTHORIZATION": "Bearer wrong"}, 404),
        ({"REMOTE_ADDR": "10.1.2.3"}, 200),
    ],
)
def test_health_is_told_to_the_inside_and_to_who_has_the_token(settings: Any, asks: Any, status: int) -> None:
    settings.METRICS_TOKEN = "the-token"
    settings.MONITORING_NETWORKS = ["127.0.0.0/8", "::1/128", "10.0.0.0/8"]
    assert Client().get("/healthz", **asks).status_code == status


def test_health_is_told_to_administrators_and_to_no_other_account() -> None:
    found = []
    for make in ("create_superuser", "create_user"):
        user = getattr(get_user_model().objects, make)(make, password="right")
        browser = Client(REMOTE_ADDR=OUTSIDE)
        browser.force_login(user)
        found.append(browser.get("/healthz").status_code)
    assert found == [200, 404]


def test_the_process_itself_answers_without_asking_anything(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        assert Client().get("/livez").json() == {"status": "ok"}


def test_health_is_answered_without_https_for_it_is_asked_from_inside(settings: Any) -> None:
    settings.SECURE_SSL_REDIRECT = True
    assert Client().get("/livez").status_code == 200
    assert ask("/readyz")[0] == 200
    assert ask()[0] == 200
    assert Client().get("/").status_code == 301


@pytest.mark.parametrize(("minutes", "state"), [(None, "failing"), (1, "ok"), (3, "failing")])
def test_a_silent_worker_is_named_once_the_server_has_waited_for_it(
    settings: Any, monkeypatch: pytest.MonkeyPatch, watch: health.Watch, minutes: int | None, state: str
) -> None:
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    if minutes is not None:
        Sweep.objects.create(pk=1, at=clock.now() - timedelta(minutes=minutes))
    monkeypatch.setattr(health, "STARTED", time.monotonic())
    assert ask()[1]["parts"]["worker"] == "ok"
    watch.stop()
    monkeypatch.setattr(health, "STARTED", time.monotonic() - 3600)
    assert ask()[1]["parts"]["worker"] == state

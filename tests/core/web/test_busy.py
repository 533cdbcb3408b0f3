"""SQLite has one writer: whoever meets another one waits, tries again, and loses nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.db import OperationalError, connection, transaction
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from core import clock
from core.web import busy
from raters.models import Session
from tests.world import make_study

pytestmark = [pytest.mark.sqlite, pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]
LINK = "/s/{}/?PROLIFIC_PID=a&STUDY_ID=b&SESSION_ID=c"


@pytest.fixture
def writer() -> Iterator[sqlite3.Connection]:
    """Another process that is writing; its `commit` lets the others pass."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout=20")
    with closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield other
    connection.close()


def test_a_rater_who_meets_a_writer_gets_a_page_that_tries_again_by_itself(writer: sqlite3.Connection) -> None:
    writer.execute("COMMIT")
    study = make_study(now=clock.now())
    writer.execute("BEGIN IMMEDIATE")
    client = Client()
    client.raise_request_exception = False
    page = client.get(LINK.format(study.slug), follow=True)
    assert (page.status_code, page.headers["Retry-After"]) == (503, "3")
    assert b'<meta http-equiv="refresh" content="3">' in page.content
    assert b"Everything you saved is kept." in page.content
    writer.execute("COMMIT")
    assert client.get(LINK.format(study.slug), follow=True).status_code == 200
    assert Session.objects.count() == 1


def test_a_page_that_meets_a_writer_for_a_moment_is_shown_at_the_second_try(
    writer: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer.execute("COMMIT")
    study = make_study(now=clock.now())
    writer.execute("BEGIN IMMEDIATE")
    monkeypatch.setattr(busy, "random", SimpleNamespace(uniform=lambda *bounds: writer.execute("COMMIT") and 0.0))
    assert Client().get(LINK.format(study.slug), follow=True).status_code == 200
    assert Session.objects.count() == 1


@pytest.mark.parametrize(
    ("content_type", "times"), [("application/x-www-form-urlencoded", 2), ("multipart/form-data", 1)]
)
def test_a_form_is_run_again_and_an_upload_that_was_read_is_not(content_type: str, times: int) -> None:
    made = RequestFactory()
    body: Any = {"file": ContentFile(b"clips", "clips.zip")} if times == 1 else "name=one"
    request = made.post("/", body) if times == 1 else made.post("/", body, content_type=content_type)
    request.resolver_match = None
    read = []

    def view(asked: HttpRequest) -> HttpResponse:
        read.append((len(asked.POST), len(asked.FILES)))
        raise OperationalError("database is locked")

    answer = busy.Patient(lambda asked: HttpResponse()).process_view(request, view, (), {})
    assert (answer.status_code, len(read)) == (503, times)


def test_a_program_is_told_in_json() -> None:
    told = busy.response(RequestFactory().post("/rate/none/answers", {}, content_type="application/json"))
    assert (told.status_code, told.headers["Retry-After"]) == (503, "3")
    assert b'"error": "busy"' in told.content


def test_a_job_goes_on_after_a_writer_and_does_its_step_once(writer: sqlite3.Connection) -> None:
    tried = []

    def step() -> str:
        tried.append(1)
        with transaction.atomic():
            return "done"

    pauses: list[float] = []

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            writer.execute("COMMIT")

    assert busy.patiently(step, sleep=sleep) == "done"
    assert len(tried) == 4
    assert len(set(pauses)) == 3
    assert all(busy.SHORTEST_PAUSE <= pause <= busy.LONGEST_PAUSE for pause in pauses)


def test_a_step_that_fails_for_another_reason_is_not_tried_again() -> None:
    tried = []

    def step() -> None:
        tried.append(1)
        raise OperationalError("no such table: x")

    with pytest.raises(OperationalError, match="no such table"):
        busy.patiently(step, sleep=lambda seconds: None)
    assert len(tried) == 1


def test_nothing_is_tried_again_inside_a_transaction(writer: sqlite3.Connection) -> None:
    writer.execute("COMMIT")
    tried = []

    def step() -> None:
        tried.append(1)
        raise OperationalError("database is locked")

    with pytest.raises(OperationalError), transaction.atomic():
        busy.patiently(step, sleep=lambda seconds: None)
    assert len(tried) == 1

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from core.operations import logs
from core.web.middleware import Numbered


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    logs.begin()
    yield
    logs.begin()


def line(form: logging.Formatter, message: str = "Batch %s is full", *args: object) -> str:
    return form.format(logging.LogRecord("raters", logging.INFO, "x.py", 1, message, args or (7,), None))


def test_a_line_for_programs_is_one_json_object_with_what_it_is_about() -> None:
    logs.begin(request="a1b2")
    logs.bind(session=12)
    said = json.loads(line(logs.JsonFormatter()))
    assert said.pop("time").endswith("+00:00")
    assert said == {"level": "INFO", "logger": "raters", "message": "Batch 7 is full", "request": "a1b2", "session": 12}


def test_a_line_for_people_ends_with_what_it_is_about() -> None:
    form = logs.PlainFormatter("%(levelname)s %(message)s")
    assert line(form) == "INFO Batch 7 is full"
    logs.begin(request="a1b2", trial=3)
    assert line(form) == "INFO Batch 7 is full [request=a1b2 trial=3]"


def test_a_traceback_stays_within_its_json_line() -> None:
    try:
        raise ValueError("two\nlines")
    except ValueError:
        import sys

        record = logging.LogRecord("x", logging.ERROR, "x.py", 1, "broke", (), sys.exc_info())
    said = logs.JsonFormatter().format(record)
    assert "\n" not in said
    assert json.loads(said)["traceback"].endswith("ValueError: two\nlines")


def test_each_request_has_a_number_of_its_own_and_forgets_the_last_ones_rater() -> None:
    seen: list[dict[str, str | int]] = []

    def respond(request: HttpRequest) -> HttpResponse:
        seen.append(logs.context())
        logs.bind(session=5)
        return HttpResponse()

    for _ in range(2):
        Numbered(respond)(RequestFactory().get("/"))
    assert all(set(about) == {"request"} and re.fullmatch("[0-9a-f]{12}", str(about["request"])) for about in seen)
    assert seen[0] != seen[1]


PID = "5f3a9c0d1e2b4a6f8c7d9e01"


@pytest.mark.parametrize(
    ("said", "written"),
    [
        (f"went to /s/demo/?PROLIFIC_PID={PID}&STUDY_ID=1&SESSION_ID=2", "went to /s/demo/?…"),
        (f"'GET /s/demo/?PROLIFIC_PID={PID} HTTP/1.1'", "'GET /s/demo/?… HTTP/1.1'"),
        ("{'PROLIFIC_PID': ['w-7'], 'STUDY_ID': 'x'}", "{'PROLIFIC_PID': ['…'], 'STUDY_ID': '…'}"),
        ("workerId=A2X went", "workerId=… went"),
        (f"no participant {PID} there", "no participant … there"),
        (
            "DETAIL:  Key (source, ext_session)=(prolific, s-1) already exists.",
            "DETAIL:  Key (source, ext_session)=(…) already exists.",
        ),
        ("GET /rate/demo/audio/abc", "GET /rate/demo/audio/…"),
        ("POST /studies/demo/export 403", "POST /studies/demo/export 403"),
    ],
)
def test_no_line_says_what_a_platform_calls_a_person(said: str, written: str) -> None:
    assert line(logs.PlainFormatter("%(message)s"), "%s", said) == written
    assert json.loads(line(logs.JsonFormatter(), "%s", said))["message"] == written


def test_the_web_servers_own_complaints_are_masked_too(capsys: pytest.CaptureFixture[str]) -> None:
    from gunicorn.config import Config

    from config.gunicorn import Masked

    server = Masked(Config())
    server.error("Error handling request /s/demo/?PROLIFIC_PID=%s", PID)
    server.warning("Invalid request: Invalid HTTP request line: 'GET /s/x/?PROLIFIC_PID=%s'", PID)
    said = capsys.readouterr().err
    assert said.count("?…") == 2
    assert PID not in said

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from core import logs
from core.middleware import Numbered


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
    said = json.loads(line(logs.Json()))
    assert said.pop("time").endswith("+00:00")
    assert said == {"level": "INFO", "logger": "raters", "message": "Batch 7 is full", "request": "a1b2", "session": 12}


def test_a_line_for_people_ends_with_what_it_is_about() -> None:
    form = logs.Plain("%(levelname)s %(message)s")
    assert line(form) == "INFO Batch 7 is full"
    logs.begin(request="a1b2", trial=3)
    assert line(form) == "INFO Batch 7 is full [request=a1b2 trial=3]"


def test_a_traceback_stays_within_its_json_line() -> None:
    try:
        raise ValueError("two\nlines")
    except ValueError:
        import sys

        record = logging.LogRecord("x", logging.ERROR, "x.py", 1, "broke", (), sys.exc_info())
    said = logs.Json().format(record)
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

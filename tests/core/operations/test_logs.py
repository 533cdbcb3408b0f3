from __future__ import annotations

import json
import logging
import re
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from typing import Any

import pytest
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from django.urls import URLPattern, URLResolver, get_resolver

from core import rng
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
        ("POST /studies/demo/export 403", "POST /studies/demo/export 403"),
    ],
)
def test_no_line_says_what_a_platform_calls_a_person(said: str, written: str) -> None:
    assert line(logs.PlainFormatter("%(message)s"), "%s", said) == written
    assert json.loads(line(logs.JsonFormatter(), "%s", said))["message"] == written


SLUG = "emotional-voices-TTSv2-of-2026"
# Parameters of addresses that are tokens, and parameters that are readable.
TOKENS = {"token", "key"}
READABLE = {
    "slug": SLUG,
    "name": "distribution-of-ratings",
    "kind": "svg",
    "source": "prolific",
    "repair": "edges",
    "move": "pause",
    "file": "report.html",
}


def paths(resolver: Any, start: str = "/") -> Iterator[str]:
    """Yield the path of every URL pattern, with its parameters in angle brackets."""
    for pattern in resolver.url_patterns:
        path = start + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from paths(pattern, path)
        elif isinstance(pattern, URLPattern):
            yield path


def of_tokens() -> list[str]:
    return [path for path in paths(get_resolver()) if TOKENS & set(re.findall(r"<\w+:(\w+)>", path))]


def filled(path: str, token: str) -> str:
    """Return a path with a value for each parameter."""

    def value(parameter: re.Match[str]) -> str:
        kind, name = parameter.groups()
        return token if name in TOKENS else "1234567" if kind == "int" else READABLE[name]

    return re.sub(r"<(\w+):(\w+)>", value, path)


@pytest.mark.parametrize("path", of_tokens())
def test_no_line_has_the_token_of_an_address(path: str) -> None:
    for token in (rng.token(), signing.dumps(["a name", 5], salt="x")):
        address, expected = filled(path, token), filled(path, "…")
        assert line(logs.PlainFormatter("%(message)s"), "Error: %s failed", address) == f"Error: {expected} failed"
        record = logging.LogRecord("x", 40, "", 0, "%s: %s", ("Internal Server Error", address), None)
        logs.WithoutKeys().filter(record)
        assert record.getMessage() == f"Internal Server Error: {expected}"


def test_there_are_addresses_with_tokens() -> None:
    assert len(of_tokens()) > 15


def test_each_parameter_of_an_address_is_a_token_or_readable() -> None:
    names = {
        name
        for path in paths(get_resolver())
        if not path.startswith("/admin/")
        for kind, name in re.findall(r"<(\w+):(\w+)>", path)
        if kind != "int"
    }
    assert names <= TOKENS | set(READABLE)


def test_every_random_token_is_masked() -> None:
    generator = rng.seeded("tokens")
    for _number in range(500):
        token = urlsafe_b64encode(generator.randbytes(16)).decode().rstrip("=")
        assert logs.masked(f"/invitations/{token}/") == "/invitations/…/"


def test_an_api_key_is_masked_wherever_it_is() -> None:
    assert logs.masked("{'Authorization': 'Bearer esh_Jx0-b_3Y8'}") == "{'Authorization': 'Bearer esh_…'}"


@pytest.mark.parametrize(
    "text",
    [
        f"POST /studies/{SLUG}/analyses/1234567/results.json",
        'File "/usr/lib/python3.12/site-packages/django/core/handlers/exception_handlers_of_requests.py", line 42',
        "/data/files/renditions/0a/0a1b2c3d4e5f60718293a4b5c6d7e8f9 is missing",
        "https://listening-tests.example.university.edu:8443/studies/",
    ],
)
def test_slugs_numbers_and_names_of_files_stay_readable(text: str) -> None:
    assert logs.masked(text) == text


def test_the_web_servers_own_complaints_are_masked_too() -> None:
    server = logging.getLogger("waitress")
    assert server.propagate
    assert not server.handlers
    path = f"/rate/x9Qe7Lm2Vb8Rt4Zk1Yp6Ws/?PROLIFIC_PID={PID}"
    assert line(logs.PlainFormatter(), "Exception while serving %s", path) == "Exception while serving /rate/…/?…"

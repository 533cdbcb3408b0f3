"""Errors of the whole server: a page for people, JSON for programs."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from config.serving.arrival import RequestRefused
from config.serving.connection import Connection
from core.web import views
from core.web.api import endpoint

JSON = "application/json"


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


@pytest.mark.parametrize(
    ("path", "content_type", "name"),
    [
        ("/api/v1/me", "text/plain", "code"),
        ("/rate/one/api/current", JSON, "error"),
        ("/studies/x/save", JSON, "error"),
    ],
)
def test_a_program_reads_an_unexpected_error_as_json(path: str, content_type: str, name: str) -> None:
    answer = views.server_error(RequestFactory().post(path, b"{}", content_type=content_type))
    assert (answer.status_code, answer["Content-Type"]) == (500, JSON)
    assert f'"{name}": "server_error"'.encode() in answer.content


def test_people_see_a_page() -> None:
    assert b"<h1" in views.server_error(RequestFactory().get("/studies/")).content


def test_a_body_that_is_too_large_is_refused_with_413(settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100

    @endpoint("POST")
    def view(request: HttpRequest, body: dict[str, Any]) -> None:
        raise AssertionError("The body was read.")

    answer: HttpResponse = view(RequestFactory().post("/rate/one/api/x", {"a": "b" * 100}, content_type=JSON))
    assert (answer.status_code, b'"error": "too_large"' in answer.content) == (413, True)


@pytest.mark.django_db
def test_a_form_that_is_too_large_is_refused_with_413(settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100
    page = Client().post("/admin/login/", {"username": "x" * 200})
    assert (page.status_code, b"<h1" in page.content) == (413, True)
    answer = views.bad_request(RequestFactory().get("/api/v1/docs"), RequestDataTooBig())
    assert (answer.status_code, b'"code": "too_large"' in answer.content) == (413, True)


@pytest.mark.parametrize(("path", "has_body"), [(b"/api/v1/uploads", True), (b"/studies/", False)])
def test_the_web_server_refuses_a_body_in_the_format_of_the_api(
    path: bytes, has_body: bool, ends: tuple[socket.socket, socket.socket]
) -> None:
    ours, theirs = ends
    connection = Connection(ours, {}, 10)
    with pytest.raises(RequestRefused) as refused:
        connection.take(b"POST " + path + b" HTTP/1.1\r\nHost: here\r\nContent-Length: 11\r\n\r\n")
    connection.refuse(refused.value)
    connection.flush()
    answer = theirs.recv(10_000)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert (b'"code": "too_large"' in answer) == has_body

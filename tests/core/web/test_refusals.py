"""Errors of the whole server: a page for people, JSON for programs."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from core.web import views
from core.web.api import endpoint

JSON = "application/json"


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

"""A table that a web process reads as a whole is refused before it is read, where it is too large."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from accounts.models import User
from core.web import client_input
from studies.drafting.question_forms import ImportQuestionsForm
from studies.models import Study
from tests.api.caller import Caller, refused
from tests.researchers import logged_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(api: Caller) -> Study:
    api.post("/studies", {"slug": "voices", "title": "Voices"})
    return Study.objects.get()


def table() -> SimpleUploadedFile:
    return SimpleUploadedFile("table.csv", b"x" * (client_input.LARGEST_TABLE + 1))


@pytest.mark.parametrize(("path", "name"), [("texts", "table"), ("questions", "questions"), ("questions", "golden")])
def test_the_api_names_the_field_of_a_table_that_is_too_large(api: Caller, study: Study, path: str, name: str) -> None:
    [problem] = refused(api.files(f"/studies/voices/{path}", {name: table()}), 422, "invalid")
    assert (problem["field"], problem["message"]) == (name, "This list is larger than 10 MB.")


@pytest.mark.parametrize(
    ("address", "name", "limit"),
    [
        ("studies:texts_import", "table", 2),
        ("analysis:machines_import", "file", 10),
    ],
)
def test_a_page_says_how_large_a_table_may_be(rita: User, study: Study, address: str, name: str, limit: int) -> None:
    page = logged_in(rita).post(reverse(address, args=[study.slug]), {name: table()})
    assert f"This list is larger than {limit} MB." in page.content.decode()


def test_lists_of_questions_come_back_with_the_confirmation_so_that_they_must_be_smaller() -> None:
    form = ImportQuestionsForm({}, {"golden": table()})
    assert form.errors["golden"] == ["This list is larger than 2 MB."]

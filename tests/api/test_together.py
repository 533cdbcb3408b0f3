"""The same request twice at the same moment."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connection

from accounts.models import Creation, User
from studies.models import ClipImport, Study
from tests.api.caller import Caller, token
from tests.api.test_imports import lists
from tests.researchers import researcher

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]
BODY = {"slug": "voices", "title": "Voices"}


def together(secret: str, ask: Callable[[Caller], Any], times: int = 4) -> list[Any]:
    """Let several programs ask the same at once."""
    barrier = Barrier(times)

    def one(_number: int) -> Any:
        caller = Caller(secret)
        barrier.wait()
        try:
            response = ask(caller)
            return response.status_code, response.json()
        finally:
            connection.close()

    with ThreadPoolExecutor(times) as pool:
        return list(pool.map(one, range(times)))


@pytest.fixture
def secret() -> str:
    return token(researcher("rita"))


@pytest.mark.parametrize("headers", [{}, {"Idempotency_Key": "once"}], ids=["by its address", "by a key"])
def test_one_study_is_made_and_all_are_told_the_same(secret: str, headers: dict[str, str]) -> None:
    answers = together(secret, lambda caller: caller.post("/studies", BODY, **headers))
    assert sorted(status for status, _body in answers) == [200, 200, 200, 201]
    assert len({body["url"] for _status, body in answers}) == 1
    assert Study.objects.count() == Creation.objects.count() == 1


def test_one_import_is_begun(secret: str) -> None:
    Caller(secret).post("/studies", BODY)
    answers = together(secret, lambda caller: caller.files("/studies/voices/imports", lists(), Idempotency_Key="once"))
    assert [status for status, _body in answers].count(202) == 1
    assert {body.get("code", "") for status, body in answers if status == 409} <= {"in_progress"}
    assert {status for status, _body in answers} <= {200, 202, 409}
    assert ClipImport.objects.count() == 1
    assert User.objects.count() == 1

"""Every role at every researcher's address: allowed or refused as the table says, and no address without an entry."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from tests.roles.table import ELSEWHERE, GETS, PATCHES, POSTS, PUTS, RATERS, ROLES
from tests.roles.world import Shared, make, routes

# To whom pages and the API say that there is no such study.
UNSEEN = {"stranger", "payer", "expert"}
METHODS: dict[str, dict[str, set[str]]] = {"get": GETS, "post": POSTS, "put": PUTS, "patch": PATCHES}


@pytest.fixture
def shared(db: None, files: Path, now: datetime, settings: Any) -> Shared:
    settings.API_RATE = 0
    return make(now)


def is_refused(response: Any) -> bool:
    """Say whether somebody was sent away: to sign in, with an error, or as if there were no such study or row."""
    if response.status_code == 302:
        return "login" in response["Location"] or "sign-in" in response["Location"] or response["Location"] == "/admin/"
    return response.status_code in {401, 403, 404}


def asked(shared: Shared, who: str, method: str, address: str) -> Any:
    """Send a request, and take back whatever it changed."""
    client = shared.clients[who]
    client.raise_request_exception = False
    body = {"content_type": "application/json", "data": "{}"} if method != "get" and "/api/" in address else {}
    point = transaction.savepoint()
    response: Any = getattr(client, method)(address, **body)
    if response.streaming:
        response.getvalue()
    transaction.savepoint_rollback(point)
    return response


def expected() -> Iterator[tuple[str, str, set[str]]]:
    for method, table in METHODS.items():
        for needs, names in table.items():
            for name in names:
                yield method, name, set(needs.split())


def test_every_address_has_an_entry_and_every_entry_an_address() -> None:
    named = {name for name, _route in routes() if not name.startswith(RATERS)}
    entries = ELSEWHERE | {name for _method, name, _needs in expected()}
    assert named - entries == set()
    assert entries - named == set()


def test_each_role_reaches_what_the_table_says_and_nothing_else(shared: Shared) -> None:
    by_name = dict(routes())
    wrong = []
    for method, name, needs in expected():
        address = shared.address(name, by_name[name])
        usual = asked(shared, "root", method, address)
        if usual.status_code in {401, 403, 405, 500}:
            wrong.append(("root", method, name, usual.status_code, 0))
        for who, capabilities in ROLES.items():
            response = asked(shared, who, method, address)
            if needs <= set(capabilities.split()):
                is_right = response.status_code == usual.status_code
            else:
                is_right = is_refused(response)
                # Where even a superuser finds nothing, a page must refuse before it looks, or know no such study.
                is_right = is_right and (not 404 == usual.status_code == response.status_code or who in UNSEEN)
            if not is_right:
                wrong.append((who, method, name, response.status_code, usual.status_code))
    assert not wrong, "\n".join(map(str, wrong))

"""A study of others answers as one that doesn't exist, on every page and endpoint, to people without a role in it."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from studies.models import Study
from tests.roles.table import GETS, PATCHES, POSTS, PUTS
from tests.roles.test_leaks import CHANGING
from tests.roles.test_matrix import METHODS, asked
from tests.roles.world import Shared, make, parts_of, routes

NAMED = {name for table in (GETS, POSTS, PUTS, PATCHES) for names in table.values() for name in names}
NOWHERE, NO_ROW = "nothing-here", 987_654_321


@pytest.fixture
def shared(db: None, files: Path, now: datetime, settings: Any) -> Shared:
    settings.API_RATE = 0
    return make(now)


def answer(shared: Shared, method: str, address: str) -> tuple[int, str, str]:
    """Return what a stranger is answered, without the address itself."""
    response = asked(shared, "stranger", method, address)
    body = "" if response.streaming else response.content.decode()
    for pattern in CHANGING:
        body = re.sub(pattern, "", body)
    body = body.replace(address, "ADDRESS")
    # The API repeats the name that was asked for.
    for name in (shared.study.slug, NOWHERE):
        body = body.replace(f"“{name}”", "“NAME”")
    return response.status_code, response.get("Location", ""), body


def test_a_study_of_others_answers_exactly_as_one_that_does_not_exist(shared: Shared) -> None:
    by_name = dict(routes())
    assert set(by_name) >= NAMED
    wrong = []
    for method, table in METHODS.items():
        for name in sorted({name for names in table.values() for name in names}):
            address = shared.address(name, by_name[name])
            by_slug = "slug" in parts_of(by_name[name])
            there = shared.study.slug if by_slug else _key(shared, name)
            missing = address.replace(f"/{there}/", f"/{NOWHERE if by_slug else NO_ROW}/", 1)
            if address.endswith(f"/{there}"):
                missing = f"{address.removesuffix(f'/{there}')}/{NOWHERE}"
            assert missing != address, name
            theirs, nobodys = answer(shared, method, address), answer(shared, method, missing)
            is_admin_row = theirs[0] == 302 and theirs[1] == "/admin/"
            if theirs != nobodys or not (theirs[0] in {404, 405} or is_admin_row):
                wrong.append((method, name, theirs[:2], nobodys[:2]))
    assert not wrong, "\n".join(map(str, wrong))


def _key(shared: Shared, name: str) -> int:
    """Return the primary key that an address of this name has."""
    address = shared.address(name, dict(routes())[name])
    return int(next(part for part in address.split("/") if part.isdecimal()))


def test_members_are_told_that_their_role_does_not_allow_it(shared: Shared) -> None:
    slug = Study.objects.get(pk=shared.study.pk).slug
    assert shared.clients["payer"].get(f"/studies/{slug}/results/").status_code == 403
    assert shared.clients["viewer"].get(f"/studies/{slug}/paying/").status_code == 403
    assert shared.clients["stranger"].get(f"/studies/{slug}/").status_code == 404
    assert shared.clients["stranger"].get("/studies/nothing-here/").status_code == 404

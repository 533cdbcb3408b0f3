"""The claim seeks the partial indexes on both databases: no sort, no scan, however many clips there are."""

from __future__ import annotations

from datetime import datetime
from random import Random
from typing import Any

import pytest
from django.db import connection

from studies.models import Cell, Item, Pool, Study
from studies.pool import claiming
from tests.world import make_study

pytestmark = pytest.mark.django_db
CLIPS = 3000


@pytest.fixture
def study(now: datetime) -> Study:
    study = make_study(now=now, systems=("human", "a", "b"), texts=3)
    cell = Cell.objects.filter(study=study, role="test").order_by("pk")[0]
    items = Item.objects.bulk_create(Item(study=study, kind="ternary", role="test") for _ in range(CLIPS))
    rng = Random(1)
    Pool.objects.bulk_create(
        Pool(cell=cell, item=item, wanted=10, taken=rng.randrange(11), shuffle=rng.random()) for item in items
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return study


def plan(study: Study, which: claiming.Which) -> str:
    given: dict[str, Any] = {
        "study": study.pk,
        "simulated": False,
        "roles": ["test"] if connection.vendor == "postgresql" else '["test"]',
        "limit": 4,
        "start": 0.0,
        "items": [1, 2] if connection.vendor == "postgresql" else "[1, 2]",
        "texts": [] if connection.vendor == "postgresql" else "[]",
    }
    explain = "EXPLAIN " if connection.vendor == "postgresql" else "EXPLAIN QUERY PLAN "
    with connection.cursor() as cursor:
        cursor.execute(explain + claiming.statement(which), given)
        return "\n".join(str(row) for row in cursor.fetchall())


@pytest.mark.parametrize("which", ["open", "full"])
def test_the_claim_seeks_its_partial_index_and_sorts_nothing(study: Study, which: claiming.Which) -> None:
    text = plan(study, which)
    assert f"pool_{which}" in text
    assert "Sort" not in text
    assert "TEMP B-TREE" not in text
    assert "Seq Scan on studies_pool" not in text
    assert "SCAN p" not in text


def test_the_plan_test_notices_a_missing_index(study: Study) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DROP INDEX pool_open")
    assert "pool_open" not in plan(study, "open")


def test_the_least_taken_come_first_in_each_cell(study: Study) -> None:
    found = claiming.candidates(study_id=study.pk, simulated=False, roles=["test"], limit=3)
    by_cell: dict[int, list[int]] = {}
    for place in found:
        by_cell.setdefault(place.cell, []).append(place.taken)
    assert len(by_cell) == 3
    for cell, taken in by_cell.items():
        assert len(taken) == 3
        assert taken == sorted(taken)
        assert taken[0] == min(Pool.objects.filter(cell=cell).values_list("taken", flat=True))


def test_full_places_are_found_apart_and_withdrawn_ones_never(study: Study) -> None:
    Pool.objects.filter(cell__study=study, taken__gte=10).update(wanted=0)
    assert claiming.candidates(study_id=study.pk, simulated=False, roles=["test"], limit=3, which="full") == []
    assert all(
        place.taken < 10 for place in claiming.candidates(study_id=study.pk, simulated=False, roles=["test"], limit=9)
    )

"""Statistics of the tables are made as soon as there is something to know, not when autovacuum comes by."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection

from core import tasks
from core.operations import statistics
from raters.models import Rater

pytestmark = pytest.mark.django_db


def known() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stats WHERE tablename = 'raters_rater'")
        return int(cursor.fetchone()[0])


@pytest.fixture
def bulk(now: Any) -> None:
    """Rows that were loaded a moment ago, into a table that was never analysed."""
    Rater.objects.bulk_create(Rater(created_at=now) for _ in range(500))
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM pg_statistic WHERE starelid = 'raters_rater'::regclass")
        cursor.execute("UPDATE pg_class SET reltuples = -1 WHERE oid = 'raters_rater'::regclass")


@pytest.mark.postgres
@pytest.mark.usefixtures("bulk")
def test_a_table_that_was_never_analysed_is_analysed_once() -> None:
    assert known() == 0
    assert "raters_rater" in statistics.refresh()
    assert known() > 0
    assert "raters_rater" not in statistics.refresh()


@pytest.mark.postgres
@pytest.mark.usefixtures("bulk")
def test_the_sweep_does_it() -> None:
    tasks.sweep()
    assert known() > 0


@pytest.mark.sqlite
def test_other_databases_are_left_alone() -> None:
    assert statistics.refresh() == []

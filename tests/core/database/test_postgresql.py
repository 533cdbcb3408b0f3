"""A connection's prepared statements are planned anew before the tables can have outgrown their plans."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connection

from core.database.postgresql.base import OFTEN

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def small_table() -> Iterator[None]:
    """Plan a statement that finds a row of a table, while that is as small as a new study's."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE planned (id integer PRIMARY KEY, filler text) WITH (autovacuum_enabled = false)")
        add(9)
        cursor.execute("ANALYZE planned")
        cursor.execute("PREPARE seek (integer) AS SELECT filler FROM planned WHERE id = $1")
        for _ in range(6):
            cursor.execute("EXECUTE seek (1)")
    yield
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE planned")


def add(rows: int) -> None:
    """Add rows to the table."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO planned SELECT n, repeat('x', 200) FROM generate_series((SELECT count(*) FROM planned) + 1,"
            " (SELECT count(*) FROM planned) + %s) n",
            [rows],
        )


def plan() -> str:
    """Return how the statement's rows are found: the session's own plan, and not a new one."""
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN (COSTS OFF) EXECUTE seek (1)")
        return str(cursor.fetchone()[0])


def take_until(times: int) -> None:
    """Give this connection back to the pool, and take connections until this one was taken so often."""
    own = connection.connection
    while own.times_taken < times:
        connection.close()
        connection.ensure_connection()


@pytest.mark.usefixtures("small_table")
def test_a_table_that_grew_is_read_by_its_index_once_its_connection_was_taken_twice_as_often() -> None:
    assert plan() == "Seq Scan on planned"
    often = max(OFTEN, 1 << connection.connection.times_taken.bit_length())
    take_until(often - 1)
    add(10_000)
    assert plan() == "Seq Scan on planned"
    take_until(often)
    assert plan() == "Index Scan using planned_pkey on planned"
    with connection.cursor() as cursor:
        cursor.execute("DEALLOCATE seek")

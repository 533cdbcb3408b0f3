"""Connections to PostgreSQL: plans follow the tables, and one thread keeps its connection."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import psycopg
import pytest
from django.db import close_old_connections, connection

from core.database.postgresql.base import OFTEN

SUMMER = datetime(2026, 7, 1, 9, 0, tzinfo=ZoneInfo("Europe/Vienna"))
pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> psycopg.Connection:
    """Let this thread keep its connection from one request to the next, as the pool does, and return that."""
    connection.ensure_connection()
    monkeypatch.setattr(connection, "close_at", None)
    return connection.connection


@pytest.fixture
def small_table(kept: psycopg.Connection) -> Iterator[psycopg.Connection]:
    """Plan a statement that finds a row of a table, while that is as small as a new study's."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE planned (id integer PRIMARY KEY, filler text) WITH (autovacuum_enabled = false)")
        add(9)
        cursor.execute("ANALYZE planned")
        cursor.execute("PREPARE seek (integer) AS SELECT filler FROM planned WHERE id = $1")
        for _ in range(6):
            cursor.execute("EXECUTE seek (1)")
    yield kept
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


def test_a_table_that_grew_is_read_by_its_index_once_its_connection_was_used_twice_as_often(
    small_table: psycopg.Connection,
) -> None:
    assert plan() == "Seq Scan on planned"
    small_table.uses = 2 * OFTEN - 2
    close_old_connections()
    add(10_000)
    assert plan() == "Seq Scan on planned"
    close_old_connections()
    assert plan() == "Index Scan using planned_pkey on planned"
    small_table.execute("DEALLOCATE seek")


def test_a_connection_that_broke_between_requests_is_replaced_when_it_is_to_plan_anew(
    kept: psycopg.Connection,
) -> None:
    kept.uses = OFTEN - 1
    with psycopg.connect(kept.info.dsn, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s)", [kept.info.backend_pid])
    close_old_connections()
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    assert connection.connection is not kept


def test_times_are_read_as_utc_whatever_time_zone_they_were_written_in() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s::timestamptz, '2026-07-01 12:30:00.000001+05:30'::timestamptz", [SUMMER])
        [read] = cursor.fetchall()
    assert read == (SUMMER, datetime(2026, 7, 1, 7, 0, 0, 1, tzinfo=UTC))
    assert {moment.tzinfo for moment in read} == {UTC}

"""PostgreSQL restarts, fails over, or is cut off: connections of before are replaced, and a read is run once more."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any

import psycopg
import pytest
from django.db import OperationalError, close_old_connections, connection, transaction
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from core.web import busy

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def end_connection() -> None:
    """End this thread's connection, as a restart of PostgreSQL does."""
    connection.ensure_connection()
    info = connection.connection.info
    with psycopg.connect(**{**info.get_parameters(), "password": info.password}, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s)", [info.backend_pid])


def query() -> HttpResponse:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return HttpResponse("done")


def asked(method: str) -> HttpRequest:
    request = RequestFactory().generic(method, "/", b"name=one", "application/x-www-form-urlencoded")
    _ = request.body
    request.resolver_match = None
    return request


def test_a_connection_that_ended_between_two_requests_is_replaced() -> None:
    query()
    end_connection()
    close_old_connections()
    assert query().content == b"done"


@pytest.mark.parametrize("within", [nullcontext, transaction.atomic])
@pytest.mark.parametrize(("method", "status", "runs"), [("GET", 200, 2), ("HEAD", 200, 2), ("POST", 503, 1)])
def test_a_read_that_lost_its_connection_is_run_once_more_and_a_change_is_not(
    method: str, status: int, runs: int, within: Callable[[], AbstractContextManager[None]]
) -> None:
    begun = []

    def view() -> HttpResponse:
        begun.append(1)
        with within():
            if len(begun) == 1:
                end_connection()
            return query()

    assert busy.answered(asked(method), view).status_code == status
    assert len(begun) == runs
    close_old_connections()
    assert query().content == b"done"


def test_a_statement_after_a_lost_connection_is_no_fault_of_the_page() -> None:
    def view() -> HttpResponse:
        with transaction.atomic():
            end_connection()
            with suppress(OperationalError), transaction.atomic():
                query()
            return query()

    assert busy.answered(asked("POST"), view).status_code == 503


def test_who_meets_a_lost_connection_replaces_all_that_wait_in_the_pool() -> None:
    connection.close()
    pool = connection.pool  # type: ignore[attr-defined]
    together = [pool.getconn() for _ in range(5)]
    info = together[0].info
    with psycopg.connect(**{**info.get_parameters(), "password": info.password}, autocommit=True) as other:
        # Those that wait in the pool from earlier, too.
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
            " AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )
    for each in together:
        pool.putconn(each)
    pool.pop_stats()
    assert query().content == b"done"
    assert pool.get_stats()["returns_bad"] == 1


def test_who_asks_while_the_database_is_away_is_told_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def view() -> HttpResponse:
        end_connection()
        return query()

    reply = busy.answered(asked("GET"), view)
    assert (reply.status_code, reply.headers["Retry-After"]) == (503, "3")
    connection.close()


@pytest.mark.parametrize("sql", ["SELECT 1 / 0", "SELECT pg_sleep(5)"])
def test_another_failure_is_not_run_again(sql: str) -> None:
    begun: list[Any] = []

    def view() -> HttpResponse:
        begun.append(1)
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = 50")
            cursor.execute(sql)
        return HttpResponse()

    with pytest.raises(Exception, match=r"division by zero|statement timeout") as refused:
        busy.answered(asked("GET"), view)
    assert len(begun) == 1
    assert isinstance(refused.value, OperationalError) == ("sleep" in sql)

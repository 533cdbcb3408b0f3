"""Detect a connection pooler such as PgBouncer in front of PostgreSQL, and what it keeps (ADR 34)."""

from __future__ import annotations

from typing import Any

from django.db import connections


def is_pooled(connection: Any) -> bool:
    """True if connections go through a pooler: the answering process is not the one the connection was opened to."""
    if connection.vendor != "postgresql":
        return False
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        [answering] = cursor.fetchone()
    return bool(answering != connection.connection.info.backend_pid)


def keeps_statements() -> bool:
    """True if a statement prepared in one transaction can be executed in the next.

    A pooler gives a session to the first that asks: another connection takes the one that was just used.
    """
    default: Any = connections["default"]
    parameters = {**default.get_connection_params(), "connect_timeout": 3, "autocommit": True}
    connect, errors = default.Database.connect, default.Database.errors
    with connect(**parameters) as one, connect(**parameters) as another:
        try:
            one.execute("SELECT 1", prepare=True)
        except errors.DuplicatePreparedStatement:
            return False
        with another.transaction():
            another.execute("SELECT 2")
            try:
                one.execute("SELECT 1", prepare=True)
            except errors.InvalidSqlStatementName:
                return False
    return True

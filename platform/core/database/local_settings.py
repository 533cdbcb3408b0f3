"""PostgreSQL settings for single statements, never for a session: a pooler may give the session to others (ADR 34)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connections, transaction

Execute = Callable[[str, Any, bool, dict[str, Any]], Any]


@contextmanager
def set_locally(name: str, value: str, *, using: str = "default") -> Iterator[None]:
    """Execute this thread's statements with a setting of PostgreSQL; those outside a transaction get one each."""
    connection: Any = connections[using]
    if connection.vendor != "postgresql":
        yield
        return

    def execute(run: Execute, sql: str, parameters: Any, is_many: bool, context: dict[str, Any]) -> Any:
        with transaction.atomic(using, savepoint=False):
            # Through the driver: Django's cursor would come back here.
            connection.connection.execute("SELECT set_config(%s, %s, true)", [name, value])
            return run(sql, parameters, is_many, context)

    with connection.execute_wrapper(execute):
        yield

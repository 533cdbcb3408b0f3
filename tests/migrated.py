"""One migrated database for all processes of a run: migrating takes seconds and comes out the same in each."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.db import connection

from tests.settings import BASE

SQLITE, POSTGRES = Path(BASE) / "migrated.sqlite3", "earshot_tests_migrated"


def copy() -> None:
    """Copy this process's database, as it was just made, for the other processes."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM INTO %s", [str(SQLITE)])
        return
    # Nobody may be connected to a database that is copied.
    connection.close()
    connection.close_pool()
    with connection._nodb_cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {POSTGRES}")
        cursor.execute(f'CREATE DATABASE {POSTGRES} TEMPLATE "{connection.settings_dict["NAME"]}"')


def begin_with_copy() -> None:
    """Let Django make its database of tests from the copy; `migrate` then finds nothing to do."""
    if connection.vendor != "sqlite":
        connection.settings_dict["TEST"]["TEMPLATE"] = POSTGRES
        return
    make: Callable[..., str] = connection.creation._create_test_db

    def filled(*given: Any, **named: Any) -> str:
        name = make(*given, **named)
        shutil.copyfile(SQLITE, name)
        return name

    connection.creation._create_test_db = filled

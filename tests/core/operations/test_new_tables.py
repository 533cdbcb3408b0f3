"""A new database, made from the models in one step, has the tables that replaying every migration makes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection, connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from core.database import tables
from core.paths import ROOT

OTHER = "earshot_tests_other"
# Django's migrations give a table between two of its own models another key than its models do; nobody uses it.
JOINED = ("auth_group_permissions", "id")
COLUMNS = """SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity::text,
pg_get_expr(d.adbin, d.adrelid)
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped"""
CONSTRAINTS = """SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid)
FROM pg_constraint WHERE connamespace = 'public'::regnamespace"""
INDEXES = "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'"


@contextmanager
def another_database(folder: Path) -> Iterator[Any]:
    """Connect to an empty database beside the suite's own, as `other`."""
    other = connection.copy("other")
    other.settings_dict["NAME"] = str(folder / "other.sqlite3") if connection.vendor == "sqlite" else OTHER
    if connection.vendor != "sqlite":
        with connection._nodb_cursor() as cursor:
            cursor.execute(f"DROP DATABASE IF EXISTS {OTHER}")
            cursor.execute(f"CREATE DATABASE {OTHER}")
    connections["other"] = other
    try:
        yield other
    finally:
        other.close()
        if connection.vendor != "sqlite":
            other.close_pool()
            with connection._nodb_cursor() as cursor:
                cursor.execute(f"DROP DATABASE {OTHER}")
        del connections["other"]


def schema(of: Any) -> set[tuple[Any, ...]]:
    """Return the columns, constraints and indexes of a database, in no order."""
    with of.cursor() as cursor:
        if of.vendor == "sqlite":
            cursor.execute("SELECT type, tbl_name, name, sql FROM sqlite_master WHERE sql IS NOT NULL")
            return {
                (table, name, part)
                for kind, table, name, sql in cursor.fetchall()
                for part in (parts(sql) if kind == "table" else [sql])
            }
        found: set[tuple[Any, ...]] = set()
        for query in (COLUMNS, CONSTRAINTS, INDEXES):
            cursor.execute(query)
            found.update(cursor.fetchall())
        return {row for row in found if row[:2] != JOINED}


def parts(sql: str) -> list[str]:
    """Return the columns and constraints of a CREATE TABLE."""
    body, depth, found = sql[sql.index("(") + 1 : sql.rindex(")")], 0, [""]
    for character in body:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and not depth:
            found.append("")
        else:
            found[-1] += character
    return [part.strip() for part in found]


def replay(other: Any, environ: dict[str, str]) -> None:
    """Apply every migration in turn, in a process for which this database is the default one, as migrations take it."""
    address = environ["EARSHOT_DATABASE_URL"]
    told = {
        **environ,
        "EARSHOT_DATABASE_URL": address.replace(connection.settings_dict["NAME"], other.settings_dict["NAME"]),
    }
    code = "import django; django.setup(); from django.core.management import call_command; "
    code += "from django.core.management.commands.migrate import Command; call_command(Command(), verbosity=0)"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=told, check=True)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_new_database_equals_one_that_replayed_every_migration(
    tmp_path: Path, process_environment: dict[str, str]
) -> None:
    with another_database(tmp_path) as other:
        call_command("migrate", database="other", verbosity=0, interactive=False)
        made, applied = schema(other), MigrationRecorder(other).applied_migrations()
    with another_database(tmp_path.parent) as other:
        replay(other, process_environment)
        assert made == schema(other)
        assert set(applied) == set(MigrationRecorder(other).applied_migrations())


@pytest.mark.django_db(transaction=True)
def test_a_new_database_is_made_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Any, app: str, name: str) -> None:
        raise DatabaseError("out of disk")

    with another_database(tmp_path) as other:
        with monkeypatch.context() as patched:
            patched.setattr(MigrationRecorder, "record_applied", fail)
            with pytest.raises(DatabaseError, match="out of disk"):
                call_command("migrate", database="other", verbosity=0, interactive=False)
        assert tables.is_empty(other)
        call_command("migrate", database="other", verbosity=0, interactive=False)
        assert set(MigrationLoader(None).disk_migrations) == set(MigrationRecorder(other).applied_migrations())

"""What PostgreSQL did and spent between two moments: processor time of each part, statements, commits, WAL."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg

from tests.bench.stage import own_seconds_of, seconds_of

# Parts of the server that have a process of their own; "ended" are connections that were closed, and autovacuum.
PARTS = {"client backend": "backends", "walwriter": "WAL writer", "checkpointer": "checkpointer"}
# Statements that only begin or end a transaction.
FRAMES = r"^\s*(begin|start|commit|rollback|savepoint|release)"


def postmaster(connection: psycopg.Connection[Any]) -> int:
    """Return the process that all others of this PostgreSQL are children of; 0 where it runs on another machine."""
    pid = connection.info.backend_pid
    try:
        parent = int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
        name = Path(f"/proc/{parent}/comm").read_text().strip()
    except OSError:
        return 0
    return parent if name in ("postgres", "postmaster") else 0


def processor(connection: psycopg.Connection[Any], database: str) -> dict[str, float]:
    """Return CPU seconds so far of a whole PostgreSQL, those that ended included, by its parts.

    Backends are those of one database that are connected now: ask while they are, before and after.
    """
    leader = postmaster(connection)
    if not leader:
        return {}
    spent = dict.fromkeys((*PARTS.values(), "ended", "rest"), 0.0)
    rows = connection.execute("SELECT pid, backend_type, datname FROM pg_stat_activity").fetchall()
    known = {pid: kind for pid, kind, name in rows if kind != "client backend" or name == database}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(entry.read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        if parent == leader:
            pid = int(entry.parent.name)
            spent[PARTS.get(known.get(pid, ""), "rest")] += seconds_of(pid)
    own = own_seconds_of(leader)
    spent["ended"] = seconds_of(leader) - own
    spent["rest"] += own
    return spent


def work(connection: psycopg.Connection[Any], database: str) -> dict[str, float]:
    """Return how much a database did so far. Backends report commits and fsyncs late: at their end, or after 10 s idle.

    Statements are missing where the server doesn't load pg_stat_statements.
    """
    done: dict[str, float] = {}
    if has_statements(connection):
        done["statements"], done["of them begin or end a transaction"] = one(
            connection,
            "SELECT coalesce(sum(calls), 0), coalesce(sum(calls) FILTER (WHERE query ~* %s), 0)"
            " FROM pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = %s)",
            FRAMES, database,
        )  # fmt: skip
    (done["transactions"],) = one(connection, "SELECT xact_commit FROM pg_stat_database WHERE datname = %s", database)
    # PostgreSQL 18 counts them elsewhere.
    moved = connection.info.server_version >= 180_000
    (done["fsyncs of the WAL"],) = one(
        connection,
        "SELECT sum(fsyncs) FROM pg_stat_io WHERE object = 'wal'" if moved else "SELECT wal_sync FROM pg_stat_wal",
    )
    (done["kB of WAL"],) = one(connection, "SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn) / 1000")
    return done


def strangers(connection: psycopg.Connection[Any], database: str) -> str:
    """Name the other databases that somebody is connected to: CPU and fsyncs are those of the whole server."""
    rows = connection.execute(
        "SELECT DISTINCT datname FROM pg_stat_activity WHERE backend_type = 'client backend'"
        " AND datname <> %s AND pid <> pg_backend_pid() ORDER BY 1",
        [database],
    ).fetchall()
    return ", ".join(name for (name,) in rows)


def has_statements(connection: psycopg.Connection[Any]) -> bool:
    """Say whether statements are counted, and make what shows the counts where it is missing."""
    (loaded,) = one_of(connection, "SHOW shared_preload_libraries")
    if "pg_stat_statements" not in loaded:
        return False
    connection.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
    return True


def one(connection: psycopg.Connection[Any], query: str, *values: str) -> list[float]:
    """Return the numbers of a query's single row."""
    return [float(value) for value in one_of(connection, query, *values)]


def one_of(connection: psycopg.Connection[Any], query: str, *values: str) -> tuple[Any, ...]:
    row = connection.execute(query, values or None).fetchone()
    assert row is not None
    return tuple(row)

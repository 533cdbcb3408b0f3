"""What a process closes before it forks."""

from __future__ import annotations

from typing import Any

from django.db import connections


def close_all() -> None:
    """Close all connections and their pools: a forked process has none of the threads that serve a pool."""
    connections.close_all()
    for connection in connections.all(initialized_only=True):
        database: Any = connection
        if getattr(database, "pool", None):
            database.close_pool()

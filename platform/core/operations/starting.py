"""What stops a process at its start: keys or tables that don't match its database."""

from __future__ import annotations

import logging

from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connection, connections
from django.db.migrations.executor import MigrationExecutor

from core.operations import keys

logger = logging.getLogger(__name__)


def missing_migrations() -> int:
    """Count this release's migrations that the database lacks; further ones, left by a later release, are fine."""
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def require() -> None:
    """Raise `ImproperlyConfigured` if tables or keys don't match the database."""
    if missing := missing_migrations():
        raise ImproperlyConfigured(
            f"{missing} migrations of this release are not applied to the database: run './run manage migrate'."
        )
    keys.require()


def require_if_reachable() -> None:
    """Do the same for a process that also starts without its database: `wait_for_parts` has checked before."""
    try:
        require()
    except DatabaseError as error:
        logger.warning("Tables and keys were not compared with the database's: %s", error)
    finally:
        # The processes that are forked from this one open connections of their own.
        connections.close_all()

"""Checks that stop a process at its start: keys or tables that don't match its database."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time

from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connection, connections
from django.db.migrations.executor import MigrationExecutor

from core.database import forking
from core.operations import keys
from core.paths import PROGRAM

logger = logging.getLogger(__name__)
# Seconds between two tries to reach a database that was away at the start.
EVERY = 5.0


def missing_migrations() -> int:
    """Count this release's migrations that the database lacks; further ones, left by a later release, are fine."""
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def require() -> None:
    """Raise `ImproperlyConfigured` if tables or keys don't match the database."""
    if missing := missing_migrations():
        raise ImproperlyConfigured(
            f"{missing} migrations of this release are not applied to the database: run '{PROGRAM} manage migrate'."
        )
    keys.require()


def require_if_reachable() -> None:
    """As `require`, but a process may start without its database; then it compares once that is reachable."""
    try:
        require()
    except DatabaseError as error:
        logger.warning("Tables and keys will be compared with the database's once it can be reached: %s", error)
        threading.Thread(target=_require_later, name="keys", daemon=True).start()
    finally:
        # The processes that are forked from this one open connections of their own.
        forking.close_all()


def _require_later() -> None:
    """End this process if tables or keys don't match the database, as soon as that can be reached."""
    is_away = True
    while is_away:
        time.sleep(EVERY)
        try:
            require()
            is_away = False
        except DatabaseError:
            continue
        except ImproperlyConfigured as error:
            logger.critical("%s", error)
            os.kill(os.getpid(), signal.SIGTERM)
            return
        finally:
            connections.close_all()

"""Update PostgreSQL's table statistics, from which it plans queries.

Until every table of a query was analysed, one page of a long table can cost as much as all of it: the figures of a
study of 1,000,000 freshly loaded answers took more than 121 s of CPU, and 49 s after analysing. PostgreSQL's own
autovacuum comes after a minute or more, may be switched off, and skips small tables.
"""

from __future__ import annotations

import logging

from django.apps import apps
from django.db import connection

logger = logging.getLogger(__name__)
# Rows changed since the last analysis: more than this, and half of the table.
CHANGED = 20_000
STALE = """
    SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    LEFT JOIN pg_stat_user_tables s ON s.relid = c.oid
    WHERE n.nspname = current_schema() AND c.relname = ANY(%s) AND pg_relation_size(c.oid) > 0
      AND (c.reltuples < 0 OR s.n_mod_since_analyze > greatest(%s, s.n_live_tup / 2))
    ORDER BY c.relname
"""


def refresh() -> list[str]:
    """Analyse the tables without statistics or with outdated ones; return their names.

    One short query when there is nothing to do; about a second for each large table.
    """
    if connection.vendor != "postgresql":
        return []
    tables = [model._meta.db_table for model in apps.get_models(include_auto_created=True) if model._meta.managed]
    with connection.cursor() as cursor:
        cursor.execute(STALE, [tables, CHANGED])
        stale = [name for (name,) in cursor.fetchall()]
        for name in stale:
            cursor.execute(f"ANALYZE {connection.ops.quote_name(name)}")
    if stale:
        logger.info("Analysed: %s.", ", ".join(stale))
    return stale

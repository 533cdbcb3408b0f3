"""How many connections to PostgreSQL the processes of one server may open, counted from their settings."""

from __future__ import annotations

from django.conf import settings

# Of a web process besides its threads: the one that fetches clips ahead, and the one that watches the database.
BESIDES = 2
# Of a worker's process: its own, and that of the thread that keeps its job's lease.
WORKER = 2
# Of either, outside its pool and for a moment: the one that reads the database's clock.
CLOCK = 1
# Whatever beat and a management command need.
OTHERS = 2


def may_open(*, web: int, threads: int, workers: int, pool: int) -> int:
    """Return the most connections that `web` processes of so many threads and `workers` worker processes open."""
    return web * (min(pool, threads + BESIDES) + CLOCK) + workers * (min(pool, WORKER) + CLOCK) + OTHERS


def of_settings() -> int:
    """Return that number for this server's settings."""
    counts = {"web": settings.WEB_WORKERS, "threads": settings.WEB_THREADS, "workers": settings.WORKERS}
    return may_open(**counts, pool=settings.DATABASE_POOL)

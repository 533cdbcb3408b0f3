"""System checks of settings: pages would open, but something behind them would not work.

They stop every process at its start and each management command, and report all problems, one sentence each.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, Error, Tags, register
from django.core.exceptions import ImproperlyConfigured
from django.db import connections
from django.http.request import validate_host

from core.database import pooling

# Connections to PostgreSQL.
# Of a web process besides its threads: the one that fetches clips ahead, and the one that watches the database.
BESIDES = 2
# Of a worker's process: its own, and that of the thread that keeps its job's lease.
WORKER = 2
# Of either, outside its pool and for a moment: the one that reads the database's clock.
CLOCK = 1
# What beat and a management command need.
OTHERS = 2
BROKERS = ("redis", "rediss", "redis+socket", "sentinel")
# Only for long-running processes: a command knows the address of the pages, but not the proxy in front of them.
OF_SERVERS = {"E004"}


def may_open(*, web: int, threads: int, workers: int, pool: int) -> int:
    """Return the most connections that `web` processes of so many threads and `workers` worker processes open."""
    return web * (min(pool, threads + BESIDES) + CLOCK) + workers * (min(pool, WORKER) + CLOCK) + OTHERS


def connections_of_settings() -> int:
    """Return the most connections that this server's processes open, by its settings."""
    counts = {"web": settings.WEB_WORKERS, "threads": settings.WEB_THREADS, "workers": settings.WORKERS}
    return may_open(**counts, pool=settings.DATABASE_POOL)


def sentences() -> Iterator[tuple[str, str]]:
    """Yield (id of the check, sentence with the remedy) for each setting that can't work. Uses no network."""
    host = str(urlsplit(settings.BASE_URL).hostname)
    if len(settings.SECRET_KEY) < settings.SECRET_LENGTH:
        length, least = len(settings.SECRET_KEY), settings.SECRET_LENGTH
        yield "E001", f"EARSHOT_SECRET_KEY has {length} characters; write {least} random ones or more."
    if "*" in settings.ALLOWED_HOSTS:
        yield "E002", "EARSHOT_ALLOWED_HOSTS is *, which accepts every host name; write the names of this server."
    elif not validate_host(host, settings.ALLOWED_HOSTS):
        yield "E003", f"EARSHOT_ALLOWED_HOSTS lacks {host}, the host of EARSHOT_BASE_URL; links would fail."
    if settings.HTTPS and not getattr(settings, "SECURE_PROXY_SSL_HEADER", None):
        yield (
            "E004",
            (
                "EARSHOT_BASE_URL is https://, which a proxy in front serves; let it set X-Forwarded-Proto itself, and "
                "set EARSHOT_BEHIND_PROXY=1."
            ),
        )
    if settings.CELERY_BROKER_URL and urlsplit(settings.CELERY_BROKER_URL).scheme not in BROKERS:
        yield "E005", "EARSHOT_BROKER_URL is no address of Valkey or Redis; write it like redis://:password@host/0."
    if reason := _unwritable(settings.DATA):
        yield "E006", f"EARSHOT_DATA is {settings.DATA}, which is not writable: {reason}."
    public = settings.S3_PUBLIC_ENDPOINT
    if public and not settings.S3_BUCKET:
        yield "E007", "EARSHOT_S3_PUBLIC_ENDPOINT is set without EARSHOT_S3_BUCKET; name the bucket, or unset it."
    if public and settings.HTTPS and not public.startswith("https://"):
        yield "E008", "EARSHOT_S3_PUBLIC_ENDPOINT must begin with https://: browsers send nothing from our pages else."


@register
def settings_that_work(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Check that this server can run with every setting."""
    return [Error(sentence, id=f"core.{number}") for number, sentence in sentences() if number not in OF_SERVERS]


@register
def settings_that_are_gone(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Warn about a setting that has no effect any more, for one release."""
    if settings.SENDFILE in {"", "off"}:
        return []
    hint = "Remove it. The lines of nginx's site that belong to it (/sent-by-nginx/) are not needed, either."
    return [checks.Warning("EARSHOT_SENDFILE has no effect: Earshot sends all clips.", hint=hint, id="core.W002")]


@register(Tags.database)
def connections_that_the_database_allows(
    app_configs: Any, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """Check that PostgreSQL allows as many connections as this server's processes may open."""
    connection = connections["default"]
    if connection.vendor != "postgresql" or "default" not in (databases or ()):
        return []
    # A pooler opens connections to PostgreSQL by a limit of its own.
    if pooling.is_pooled(connection):
        return []
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('max_connections')::int")
        [allowed] = cursor.fetchone()
    wanted = connections_of_settings()
    if wanted <= allowed:
        return []
    hint = "Raise max_connections, or lower EARSHOT_DATABASE_POOL, EARSHOT_WEB_WORKERS or EARSHOT_WORKERS."
    text = f"PostgreSQL allows {allowed} connections, and the processes of this server may open {wanted}."
    return [checks.Warning(text, hint=hint, id="core.W001")]


def require(*more: str) -> None:
    """Raise `ImproperlyConfigured` with every problem, and with those that the caller adds."""
    if lines := [*(sentence for _number, sentence in sentences()), *more]:
        raise ImproperlyConfigured("\n".join(lines if len(lines) == 1 else ["", *lines]))


def require_for_jobs() -> None:
    """Do the same for a worker or the beat, which also need a broker."""
    missing = "EARSHOT_BROKER_URL is not set; write it like redis://:password@host/0."
    require(*(() if settings.CELERY_BROKER_URL else (missing,)))


def _unwritable(folder: Path) -> str:
    """Return why a folder is not writable, whether it exists or not; empty when it is writable."""
    there = next(path for path in (folder, *folder.parents) if path.exists())
    if not there.is_dir():
        return f"{there} is no folder"
    return "" if os.access(there, os.W_OK | os.X_OK) else f"this process may not write to {there}"

"""A server with settings that can't work never half starts: what is wrong is told at once, in sentences."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command

from core.errors import StoreAway
from core.operations import checks, readiness
from tests.buckets import store


def wrong() -> list[str]:
    return [number for number, _sentence in checks.sentences()]


def test_the_settings_of_the_tests_are_sound() -> None:
    assert wrong() == []
    checks.require()


@pytest.mark.parametrize(
    ("values", "number"),
    [
        ({"SECRET_KEY": "k" * 49}, "E001"),
        ({"ALLOWED_HOSTS": ["*"]}, "E002"),
        ({"ALLOWED_HOSTS": ["other.example.org"]}, "E003"),
        ({"HTTPS": True}, "E004"),
        ({"CELERY_BROKER_URL": "amqp://guest@host"}, "E005"),
        ({"DATA": Path("/etc/hostname/earshot")}, "E006"),
        ({"S3_PUBLIC_ENDPOINT": "https://store.example.org"}, "E007"),
        (
            {
                "HTTPS": True,
                "SECURE_PROXY_SSL_HEADER": ("HTTP_X_FORWARDED_PROTO", "https"),
                "S3_BUCKET": "clips",
                "S3_PUBLIC_ENDPOINT": "http://store.example.org",
            },
            "E008",
        ),
    ],
)
def test_each_setting_that_cannot_work_is_one_sentence(settings: Any, values: dict[str, Any], number: str) -> None:
    for name, value in values.items():
        setattr(settings, name, value)
    [(found, sentence)] = checks.sentences()
    assert found == number
    assert sentence.startswith("EARSHOT_")
    assert sentence.endswith(".")
    with pytest.raises(ImproperlyConfigured):
        checks.require()
    # A command on a server behind HTTPS is told the address alone.
    of_commands = [] if number == "E004" else [f"core.{number}"]
    assert [message.id for message in run_checks() if str(message.id).startswith("core.E")] == of_commands


def test_all_of_them_are_told_together(settings: Any) -> None:
    settings.SECRET_KEY, settings.ALLOWED_HOSTS = "short", ["*"]
    with pytest.raises(ImproperlyConfigured) as told:
        checks.require()
    assert [line.split()[0] for line in str(told.value).strip().splitlines()] == [
        "EARSHOT_SECRET_KEY",
        "EARSHOT_ALLOWED_HOSTS",
    ]
    with pytest.raises(CommandError, match=r"EARSHOT_SECRET_KEY(.|\n)*EARSHOT_ALLOWED_HOSTS"):
        call_command("wait_for_parts", seconds=0)


def test_a_worker_wants_a_broker_besides(settings: Any) -> None:
    with pytest.raises(ImproperlyConfigured, match="EARSHOT_BROKER_URL is not set"):
        checks.require_for_jobs()
    settings.CELERY_BROKER_URL = "redis://:password@host/0"
    checks.require_for_jobs()


@pytest.mark.s3
@pytest.mark.django_db
def test_a_wrong_bucket_ends_the_wait_at_once(settings: Any, endpoint: str) -> None:
    settings.STORAGES = {**settings.STORAGES, "default": store("earshot-none", endpoint)}
    settings.S3_BUCKET = "earshot-none"
    with pytest.raises(
        CommandError, match=r"EARSHOT_S3_BUCKET 'earshot-none'.*the store denies access: .*NoSuchBucket"
    ):
        call_command("wait_for_parts", migrated=True, seconds=60)


@pytest.mark.broker
@pytest.mark.django_db
def test_a_wrong_password_of_the_broker_ends_the_wait_at_once(settings: Any, broker_url: str) -> None:
    scheme, _, rest = broker_url.partition("://")
    settings.CELERY_BROKER_URL = f"{scheme}://:wrong@{rest.partition('@')[2] or rest}"
    with pytest.raises(CommandError, match="EARSHOT_BROKER_URL: the broker denies access"):
        call_command("wait_for_parts", migrated=True, seconds=60)


@pytest.mark.postgres
@pytest.mark.django_db
def test_a_wrong_database_ends_the_wait_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from django.db import connection

    real: Callable[[], dict[str, Any]] = connection.get_connection_params
    monkeypatch.setattr(connection, "get_connection_params", lambda: {**real(), "dbname": "none_such"})
    with pytest.raises(
        CommandError, match=r'EARSHOT_DATABASE_URL: the database denies access: .*"none_such" does not exist'
    ):
        call_command("wait_for_parts", seconds=60)


def test_what_may_come_yet_is_waited_for() -> None:
    assert readiness.hopeless("files", StoreAway("Could not connect to the endpoint URL")) == ""
    assert readiness.hopeless("files", StoreAway("Connection was closed: http://store/clips/health/14/14034f2e")) == ""
    assert readiness.hopeless("files", StoreAway("An error occurred (403) when calling the HeadObject operation")) != ""
    assert readiness.hopeless("broker", ConnectionRefusedError("Connection refused")) == ""


@pytest.mark.parametrize(
    ("web", "threads", "workers", "pool", "most"),
    [(2, 8, 2, 10, 30), (4, 16, 8, 10, 70), (1, 1, 1, 2, 8), (2, 8, 2, 4, 18)],
)
def test_connections_are_counted_from_the_processes(web: int, threads: int, workers: int, pool: int, most: int) -> None:
    assert checks.may_open(web=web, threads=threads, workers=workers, pool=pool) == most


@pytest.mark.postgres
@pytest.mark.django_db
def test_a_database_that_allows_too_few_connections_is_told_before_the_tables_change(settings: Any) -> None:
    assert checks.connections_that_the_database_allows(None, databases=["default"]) == []
    settings.WEB_WORKERS, settings.WEB_THREADS = 10_000, 8
    [warning] = checks.connections_that_the_database_allows(None, databases=["default"])
    assert "may open 110008" in warning.msg

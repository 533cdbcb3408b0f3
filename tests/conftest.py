"""Fixtures that every app's tests share, and what makes the whole run clean up after itself."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.db import connection

from tests.settings import SCRATCH


def pytest_configure() -> None:
    """Make this process's data folder."""
    (SCRATCH / "static").mkdir(parents=True, mode=0o700)


def pytest_unconfigure() -> None:
    """Remove it."""
    shutil.rmtree(SCRATCH, ignore_errors=True)


@pytest.fixture
def now() -> datetime:
    """Return a fixed moment."""
    return datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


@pytest.fixture
def rng() -> Random:
    """Return a generator that draws the same in every run."""
    return Random(20260302)


@pytest.fixture
def files(settings: Any, tmp_path: Path) -> Path:
    """Keep this test's stored files in a folder of its own, and return that folder."""
    folder = tmp_path / "files"
    default = {**django_settings.STORAGES["default"]}
    default["OPTIONS"] = {**default["OPTIONS"], "location": folder}
    settings.STORAGES = {**django_settings.STORAGES, "default": default}
    return folder


@pytest.fixture
def process_environment(transactional_db: None) -> dict[str, str]:
    """Return the environment of a child process that works on this test's database with the product's settings."""
    row = connection.settings_dict
    if connection.vendor == "sqlite":
        url = f"sqlite:///{row['NAME']}"
    else:
        host = f"host={row['HOST']}&" if str(row["HOST"]).startswith("/") else ""
        place = "" if host else f"{row['HOST']}:{row['PORT'] or 5432}"
        secret = f":{row['PASSWORD']}" if row["PASSWORD"] else ""
        url = f"postgresql://{row['USER']}{secret}@{place}/{row['NAME']}?{host}port={row['PORT'] or 5432}"
    return {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "EARSHOT_DATABASE_URL": url}


@pytest.fixture(autouse=True)
def forget_frozen_rows() -> None:
    """Forget what is cached by primary key: a test's rollback hands the keys out again."""
    from raters.selectors import sessions
    from studies.selectors import facts

    facts.frozen.cache_clear()
    sessions.version_of.cache_clear()

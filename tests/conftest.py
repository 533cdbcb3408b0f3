"""Fixtures that every app's tests share, and what makes the whole run clean up after itself."""

from __future__ import annotations

import gc
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

import pytest
from django.conf import settings as django_settings
from django.db import connection
from hypothesis import HealthCheck, settings

from core.operations import health
from launcher import broker
from tests.buckets import buckets, endpoint  # noqa: F401  (fixtures)
from tests.settings import SCRATCH

# How fast a machine makes up examples says nothing about the code.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let ./check insist on tests that it promises to run."""
    parser.addoption("--require", default="", help="marks, joined by commas, whose tests fail when they are skipped")


def pytest_configure() -> None:
    """Make this process's data folder."""
    (SCRATCH / "static").mkdir(parents=True, mode=0o700)


def pytest_unconfigure() -> None:
    """Remove it."""
    shutil.rmtree(SCRATCH, ignore_errors=True)


def pytest_collection_finish() -> None:
    """Let Python look for cycles rarely, and never in what was imported: that lives to the end of the run."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 50, 50)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the browser's tests by their folder, and leave those of the other database to its own run."""
    is_second = connection.vendor == "postgresql"
    for item in items:
        if "browser" in item.path.relative_to(config.rootpath).parts:
            item.add_marker("browser")
    left_out = {item for item in items if item.get_closest_marker("sqlite" if is_second else "postgres")}
    if is_second:
        left_out |= {item for item in items if is_the_same_on_every_database(item)}
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = [item for item in items if item not in left_out]


def is_the_same_on_every_database(item: pytest.Item) -> bool:
    """Say whether a test asks for no database: every query is refused to it then, so SQLite's run says it all."""
    asks = {"_django_db_helper", "live_server"} & {*getattr(item, "fixturenames", ())}
    return not asks and not any(item.get_closest_marker(name) for name in ("django_db", "postgres"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skipped test into a failed one where it was promised."""
    report = yield
    promised = set(item.config.getoption("--require").split(",")) & {mark.name for mark in item.iter_markers()}
    if report.skipped and promised and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, but the {', '.join(promised)} tests must run: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """The same for a whole file that skips itself."""
    report = yield
    if report.skipped and collector.config.getoption("--require"):
        report.outcome = "failed"
        report.longrepr = f"{collector.nodeid} was skipped as a whole: {report.longrepr}"
    return report


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
        person = quote(row["USER"]) + (f":{quote(row['PASSWORD'])}" if row["PASSWORD"] else "")
        url = f"postgresql://{person}@{quote(row['HOST'], safe='')}:{row['PORT'] or 5432}/{row['NAME']}"
    return {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "EARSHOT_DATABASE_URL": url}


def _accepts(path: Path) -> bool:
    """Say whether somebody accepts connections at a socket, which is there a moment before."""
    with socket.socket(socket.AF_UNIX) as probe, suppress(OSError):
        probe.connect(str(path))
        return True
    return False


@pytest.fixture
def broker_url() -> Iterator[str]:
    """Start a broker as ./run does, and return its address."""
    # Not in tmp_path: a socket's path must be short.
    with tempfile.TemporaryDirectory(prefix="earshot-broker-") as name:
        folder = Path(name)
        broker.configure(folder, 0)
        with subprocess.Popen(broker.command(folder), stdout=subprocess.DEVNULL) as process:
            while not _accepts(folder / "broker.sock"):
                assert process.poll() is None, "the broker did not start"
                time.sleep(0.01)
            yield broker.address_of(folder).read_text(encoding="utf-8").strip()
            process.terminate()


@pytest.fixture(autouse=True)
def forget_frozen_rows() -> None:
    """Forget what is cached by primary key: a test's rollback hands the keys out again."""
    from raters.people import queries as people_queries
    from raters.sessions import api as sessions_api
    from studies.definition import facts
    from studies.pool import queries as pool_queries

    facts.frozen.cache_clear()
    pool_queries._batches.cache_clear()
    pool_queries._test_cells.cache_clear()
    people_queries.version_of.cache_clear()
    sessions_api.METER.counts.clear()


@pytest.fixture(autouse=True)
def unwatched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no page start a thread that reads the parts: it would outlive its test."""
    monkeypatch.setattr(health, "parts", lambda: dict.fromkeys(health.checks(), True))

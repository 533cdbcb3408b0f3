"""A process of a release whose tables are missing doesn't start; one of the release before, after a roll-back, does."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from core.operations import starting
from tests.servers import Processes, free_port, until

LAST = ("raters", "0024_passes")


@pytest.fixture
def without_the_last(transactional_db: None) -> Iterator[None]:
    recorder = MigrationRecorder(connection)
    recorder.record_unapplied(*LAST)
    yield
    recorder.record_applied(*LAST)


@pytest.mark.django_db
def test_a_process_starts_with_its_own_tables_and_with_later_ones() -> None:
    starting.require()
    MigrationRecorder(connection).record_applied("raters", "9999_of_a_later_release")
    starting.require()


@pytest.mark.usefixtures("without_the_last")
def test_a_process_whose_own_migrations_are_missing_is_refused() -> None:
    with pytest.raises(ImproperlyConfigured, match="1 migrations of this release are not applied"):
        starting.require()


@pytest.mark.processes
@pytest.mark.usefixtures("without_the_last")
def test_a_web_server_and_a_worker_without_their_migrations_say_so_and_end(processes: Processes) -> None:
    listen = f"--listen=127.0.0.1:{free_port()}"
    web = processes.python("-m", "launcher.contained", listen, "web", sys.executable, "-m", "config.web")
    worker = processes.worker("redis://127.0.0.1:1/0")
    for child in (web, worker):
        until(lambda child=child: not child.is_alive, "it goes on")  # type: ignore[misc]
        assert "run './run manage migrate'" in child.said()
        assert child.process.returncode

"""Two machines with different keys never serve one database."""

from __future__ import annotations

import signal
import threading
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import connection

from core.operations import keys, starting

pytestmark = pytest.mark.django_db
OTHER = "another key that is long enough for every check there is, but not the same"


@pytest.fixture(autouse=True)
def first_start() -> None:
    keys.require()


def test_the_keys_that_a_database_was_set_up_with_are_accepted_again() -> None:
    keys.require()
    assert keys.wrong() == []


def test_another_secret_key_stops_the_start_and_names_the_setting(settings: Any) -> None:
    settings.SECRET_KEY = OTHER
    with pytest.raises(ImproperlyConfigured, match="EARSHOT_SECRET_KEY is not the key that this database was set up"):
        keys.require()
    with pytest.raises(ImproperlyConfigured, match="EARSHOT_SECRET_KEY"):
        call_command("ensure_admin")
    with pytest.raises(CommandError, match="EARSHOT_SECRET_KEY"):
        call_command("wait_for_parts", migrated=True, seconds=0)


def test_a_key_changed_on_purpose_is_accepted_by_one_command(settings: Any) -> None:
    settings.SECRET_KEY = OTHER
    call_command("accept_keys")
    keys.require()


def test_an_identity_key_is_rotated_by_naming_both_and_the_machine_that_was_forgotten_stops(settings: Any) -> None:
    old = list(settings.IDENTITY_KEYS)
    settings.IDENTITY_KEYS = [OTHER, *old]
    keys.require()
    settings.IDENTITY_KEYS = old
    with pytest.raises(ImproperlyConfigured, match="EARSHOT_IDENTITY_KEYS lacks the key"):
        keys.require()


def test_no_key_can_be_read_from_its_fingerprint(settings: Any) -> None:
    stored = {row.name: row.digest for row in keys.KeyFingerprint.objects.all()}
    assert set(stored) == {"secret", "identity"}
    assert settings.SECRET_KEY not in "".join(stored.values())
    assert all(len(digest) == 64 for digest in stored.values())


@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
def test_a_process_that_started_without_its_database_ends_once_the_key_proves_wrong(
    settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ended = threading.Event()
    before = signal.signal(signal.SIGTERM, lambda *_: ended.set())
    monkeypatch.setattr(starting, "EVERY", 0.05)
    settings.SECRET_KEY = OTHER
    try:
        with monkeypatch.context() as away:
            away.setitem(connection.settings_dict, "NAME", str(tmp_path / "missing" / "earshot.sqlite3"))
            # Another thread has no open connection yet.
            start = threading.Thread(target=starting.require_if_reachable)
            start.start()
            start.join()
            assert not ended.wait(0.3)
        assert ended.wait(10)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert "EARSHOT_SECRET_KEY is not the key" in caplog.text

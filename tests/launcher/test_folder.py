from __future__ import annotations

import sqlite3
import stat
import threading
from contextlib import closing

import pytest

from core.paths import ROOT
from launcher import broker, folder, prepare, settings
from launcher.options import PARTS, Options
from launcher.say import LauncherError


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_the_data_folder_is_its_owners_alone(tmp_path):
    folder.make(tmp_path / "data")
    assert mode(tmp_path / "data") == 0o700


def test_a_folder_that_cannot_be_made_is_said_plainly(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(LauncherError, match="--data"):
        folder.make(tmp_path / "file")


def test_secrets_are_random_private_and_kept(tmp_path):
    path = folder.secret(tmp_path, "key")
    first = path.read_text()
    assert mode(path) == 0o600
    assert len(first) > 60
    assert folder.secret(tmp_path, "key").read_text() == first
    assert folder.secret(tmp_path, "other").read_text() != first


def test_two_launchers_never_share_a_data_folder(tmp_path):
    assert not folder.is_running(tmp_path)
    with folder.lock(tmp_path, PARTS):
        with pytest.raises(LauncherError, match="Another"):
            folder.lock(tmp_path, ["worker"])
        assert folder.is_running(tmp_path)
    assert not folder.is_running(tmp_path)


def test_parts_that_run_alone_share_a_data_folder(tmp_path):
    with folder.lock(tmp_path, ["web"]), folder.lock(tmp_path, ["worker"]):
        assert folder.is_running(tmp_path)


def test_tables_are_made_once_though_two_want_them_at_the_same_time(tmp_path, monkeypatch):
    began, go_on, made = threading.Event(), threading.Event(), []

    def migrate(environ, *arguments):
        made.append(arguments[0])
        began.set()
        assert go_on.wait(30)
        make_tables(tmp_path / "earshot.sqlite3")

    monkeypatch.setattr(prepare, "manage", migrate)
    first, second = (threading.Thread(target=prepare.tables, args=(tmp_path, {})) for _ in range(2))
    first.start()
    assert began.wait(30)
    second.start()
    second.join(0.2)
    assert (second.is_alive(), made) == (True, ["migrate"])
    go_on.set()
    for each in (first, second):
        each.join(30)
        assert not each.is_alive()
    assert made == ["migrate"]


def make_tables(path, *, but=0):
    """Write what a migrated database says of itself, without the last `but` migrations."""
    files = sorted(path for app in (ROOT, ROOT / "platform") for path in app.glob("*/migrations/[0-9]*.py"))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE django_migrations (app TEXT, name TEXT)")
        rows = [(file.parent.parent.name, file.stem) for file in files[: len(files) - but]]
        connection.executemany("INSERT INTO django_migrations VALUES (?, ?)", rows)


@pytest.mark.parametrize("state", ["gone", "empty", "older", "no database"])
def test_the_database_itself_is_asked_for_its_tables(tmp_path, monkeypatch, state):
    database, made = tmp_path / "earshot.sqlite3", []

    def migrate(environ, *arguments):
        made.append(arguments[0])
        database.unlink(missing_ok=True)
        make_tables(database)

    monkeypatch.setattr(prepare, "manage", migrate)
    prepare.tables(tmp_path, {})
    prepare.tables(tmp_path, {})
    assert made == ["migrate"]
    database.unlink()
    if state == "empty":
        database.touch()
    if state == "older":
        make_tables(database, but=1)
    if state == "no database":
        database.write_bytes(b"something else")
    prepare.tables(tmp_path, {})
    assert made == ["migrate", "migrate"]


def test_a_database_elsewhere_is_asked_at_every_start(tmp_path, monkeypatch):
    made = []
    monkeypatch.setattr(prepare, "manage", lambda environ, *arguments: made.append(arguments[0]))
    for _ in range(2):
        prepare.tables(tmp_path, {"EARSHOT_DATABASE_URL_FILE": "/run/secrets/database-url"})
    assert made == ["migrate", "migrate"]


def test_the_broker_listens_on_a_private_socket_with_a_password_and_keeps_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(broker, "LONGEST_SOCKET", 10_000)
    broker.configure(tmp_path, 7999)
    written = (tmp_path / "broker.conf").read_text()
    assert "port 0" in written
    assert "unixsocketperm 700" in written
    assert "requirepass " in written
    assert 'save ""' in written
    assert (tmp_path / "broker-url").read_text().startswith("redis+socket://:")
    assert {mode(tmp_path / name) for name in ("broker.conf", "broker-url", "broker-password")} == {0o600}


def test_where_the_path_is_too_long_for_a_socket_the_broker_listens_on_loopback(tmp_path, monkeypatch):
    monkeypatch.setattr(broker, "LONGEST_SOCKET", 5)
    broker.configure(tmp_path, 7999)
    assert "bind 127.0.0.1\nport 7999\n" in (tmp_path / "broker.conf").read_text()
    assert "@127.0.0.1:7999/0" in (tmp_path / "broker-url").read_text()


def test_a_broker_set_by_hand_is_used_as_it_is(tmp_path):
    given = {"EARSHOT_BROKER_URL": "redis://elsewhere/0"}
    assert "EARSHOT_BROKER_URL_FILE" not in settings.environment(Options(tmp_path), given)


def test_fingerprints_follow_names_and_contents(tmp_path):
    (tmp_path / "a").write_text("1")
    before = folder.fingerprint([tmp_path / "a"])
    assert folder.fingerprint([tmp_path / "a"]) == before
    (tmp_path / "a").write_text("2")
    assert folder.fingerprint([tmp_path / "a"]) != before


def test_unreadable_stamps_mean_that_nothing_was_done(tmp_path):
    (tmp_path / "stamps").write_text("{")
    assert folder.read_stamps(tmp_path / "stamps") == {}
    folder.write_stamps(tmp_path / "stamps", {"a": "b"})
    assert folder.read_stamps(tmp_path / "stamps") == {"a": "b"}


def test_commands_print_links_to_the_pages_as_they_were_last_started(tmp_path):
    assert prepare.last_address(tmp_path) == {}
    prepare.remember(tmp_path, "address", "http://127.0.0.1:9000")
    prepare.remember(tmp_path, "tables", "a fingerprint")
    assert prepare.last_address(tmp_path) == {"EARSHOT_BASE_URL": "http://127.0.0.1:9000"}
    assert prepare.is_done(tmp_path, "tables", "a fingerprint")

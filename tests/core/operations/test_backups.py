"""A backup read back on another server is the same server."""

from __future__ import annotations

import io
import json
import os
import sqlite3
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.db import connection

from core import clock
from core.operations import backups
from core.paths import ROOT
from raters.models import Answer, Rating
from raters.simulation.simulated_sessions import simulate
from tests.world import make_study

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def rated(tmp_path: Path, settings: Any) -> None:
    """A study that simulated raters have rated, with files of its own."""
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "files"}}
    settings.STORAGES = {**settings.STORAGES, "default": files}
    study = make_study(now=clock.now())
    simulate(study_id=study.pk, raters=4, seed=5, careless=0.25, now=clock.now())


def write(path: Path) -> dict[str, Any]:
    return backups.write(path, version="test", now=clock.now(), say=lambda text: None)


def manage(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a management command on a server of its own: an SQLite database and a folder of files."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("EARSHOT_", "DJANGO_"))}
    environ = {**clean, "EARSHOT_DATA": str(data), "EARSHOT_SECRET_KEY": "k" * 60}
    data.mkdir(exist_ok=True)
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True)


@pytest.mark.usefixtures("rated")
def test_another_server_is_filled_with_the_same_rows_and_files_and_goes_on_with_keys_of_its_own(tmp_path: Path) -> None:
    manifest = write(tmp_path / "backup.tar")
    there = tmp_path / "there"
    assert manage(there, "migrate", "--verbosity=0").returncode == 0
    done = manage(there, "restore", str(tmp_path / "backup.tar"))
    assert done.returncode == 0, done.stderr
    assert manage(there, "backup", str(tmp_path / "again.tar")).returncode == 0
    with tarfile.open(tmp_path / "again.tar") as archive:
        again = json.load(archive.extractfile("manifest.json"))  # type: ignore[arg-type]
    # The secret key of the other server becomes that of its database.
    assert {**again["tables"], "core.keyfingerprint": {}} == {**manifest["tables"], "core.keyfingerprint": {}}
    assert again["files"] == manifest["files"]
    assert manifest["tables"]["raters.rating"]["rows"] == Rating.objects.count() > 20
    assert len(manifest["files"]) > 0
    with sqlite3.connect(there / "earshot.sqlite3") as database:
        [answers] = database.execute("SELECT COUNT(*) FROM raters_answer").fetchone()
        assert answers == Answer.objects.count()
    made = manage(there, "create_study", "another", "--preset", "hfr")
    assert made.returncode == 0, made.stderr


@pytest.mark.usefixtures("rated")
def test_a_database_without_tables_is_named_as_the_cause(tmp_path: Path) -> None:
    write(tmp_path / "backup.tar")
    done = manage(tmp_path / "there", "restore", str(tmp_path / "backup.tar"))
    assert done.returncode
    assert "The tables are missing" in done.stderr
    assert "./run manage migrate" in done.stderr
    assert "with other tables" not in done.stderr


@pytest.mark.usefixtures("rated")
def test_a_server_that_has_data_is_left_as_it_is(tmp_path: Path) -> None:
    write(tmp_path / "backup.tar")
    before = Rating.objects.count()
    with pytest.raises(CommandError, match="restore into an empty one"):
        call_command("restore", tmp_path / "backup.tar")
    assert Rating.objects.count() == before


def test_a_damaged_or_foreign_backup_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    cases: list[tuple[str, Callable[[dict[str, bytes]], object], str]] = [
        ("cut", lambda parts: parts.pop("manifest.json"), "cut off"),
        ("bit", lambda parts: parts.update({"tables/accounts.user.jsonl": b"[1]\n"}), "damaged"),
        ("gone", lambda parts: parts.pop("tables/accounts.user.jsonl"), "damaged"),
        ("other", lambda parts: parts.update({"manifest.json": other_tables(parts["manifest.json"])}), "other tables"),
    ]
    write(tmp_path / "sound.tar")
    with tarfile.open(tmp_path / "sound.tar") as archive:
        sound = {part.name: archive.extractfile(part).read() for part in archive}  # type: ignore[union-attr]
    for name, spoil, message in cases:
        parts = dict(sound)
        spoil(parts)
        with tarfile.open(tmp_path / f"{name}.tar", "w") as archive:
            for part, content in parts.items():
                backups.add(archive, part, io.BytesIO(content))
        with pytest.raises(CommandError, match=message):
            call_command("restore", tmp_path / f"{name}.tar")
    (tmp_path / "text.tar").write_text("not an archive")
    with pytest.raises(CommandError, match="can't be read as a backup"):
        call_command("restore", tmp_path / "text.tar")


def other_tables(manifest: bytes) -> bytes:
    """Return a manifest of a release with one migration more."""
    found = json.loads(manifest)
    found["migrations"].append(["studies", "9999_later"])
    return json.dumps(found).encode()


def test_a_backup_is_its_owners_alone_and_never_overwrites_a_file(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "backup.tar"
    call_command("backup", path)
    assert path.stat().st_mode & 0o777 == 0o600
    before = path.read_bytes()
    with pytest.raises(CommandError, match="is there already"):
        call_command("backup", path)
    assert path.read_bytes() == before
    assert list(tmp_path.glob("*.unfinished")) == []


@pytest.mark.usefixtures("rated")
def test_what_others_write_meanwhile_is_not_half_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    real = backups.dump

    def dump(model: Any, file: Any) -> Any:
        if model is Answer:
            # Somebody answers between two tables: neither the answer nor its rating may be in the backup.
            other_answers(seen)
        return real(model, file)

    monkeypatch.setattr(backups, "dump", dump)
    before = Answer.objects.count(), Rating.objects.count()
    manifest = write(tmp_path / "backup.tar")
    assert seen == [1], "the other connection could not write while the backup was read"
    rows = {name: table["rows"] for name, table in manifest["tables"].items()}
    assert (rows["raters.answer"], rows["raters.rating"]) == before
    assert Rating.objects.count() == before[1] - 1


def other_answers(seen: list[int]) -> None:
    """Take a rating away on a connection of its own."""
    first = Rating.objects.order_by("pk").values_list("pk", flat=True)[0]
    statement = f"DELETE FROM raters_rating WHERE id = {first}"
    if connection.vendor == "sqlite":
        with sqlite3.connect(connection.settings_dict["NAME"], timeout=2) as other:
            seen.append(other.execute(statement).rowcount)
        return
    copy = connection.copy()
    try:
        with copy.cursor() as cursor:
            cursor.execute(statement)
            seen.append(cursor.rowcount)
    finally:
        copy.close()


def test_files_of_the_health_check_are_not_kept(tmp_path: Path, settings: Any) -> None:
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "files"}}
    settings.STORAGES = {**settings.STORAGES, "default": files}
    default_storage.save("health/ab/x", io.BytesIO(b"1"))
    kept = default_storage.save("clips/ab/y", io.BytesIO(b"2"))
    assert list(write(tmp_path / "backup.tar")["files"]) == [kept]

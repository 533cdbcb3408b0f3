"""Prepare the data for this version: tables, static files, the first account, the demo."""

from __future__ import annotations

import fcntl
import secrets
import sqlite3
import subprocess
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from core.paths import FOLDERS, ROOT, START
from launcher import folder
from launcher.commands import tail
from launcher.environment import PYTHON
from launcher.say import LauncherError, line, step


def manage(environ: dict[str, str], *arguments: str, password: str = "") -> str:
    """Run a management command and return its output; raises `LauncherError` when it fails."""
    done = subprocess.run(
        command(*arguments), cwd=ROOT, check=False, text=True, input=password, capture_output=True, env=environ
    )
    if done.returncode:
        raise LauncherError(
            reason(done.stderr) or f"'manage {' '.join(arguments)}' failed:\n{tail(done.stdout + done.stderr)}"
        )
    return done.stdout.strip()


def reason(output: str) -> str:
    """Return the reason that a management command gave for its failure; empty if it crashed."""
    return output.rpartition("CommandError: ")[2].strip() if "CommandError: " in output else ""


def command(*arguments: str) -> list[str]:
    """Return the command line of a management command."""
    return [str(PYTHON), str(ROOT / "manage.py"), *arguments]


def tables(data: Path, environ: dict[str, str]) -> None:
    """Migrate the database. For SQLite, first test whether that is necessary; `migrate` tests other databases."""
    files = [path for app in FOLDERS for path in app.glob("*/migrations/[0-9]*.py")]
    is_embedded = not {"EARSHOT_DATABASE_URL", "EARSHOT_DATABASE_URL_FILE"} & set(environ)
    embedded = data / "earshot.sqlite3"
    # Part of the fingerprint: the lock names Django, whose own tables change with its version.
    wanted = folder.fingerprint([*files, ROOT / "locks" / "run.txt"])
    with (data / "tables.lock").open("a", encoding="utf-8") as lock:
        # A management command may run while ./run is still preparing for the first time.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if is_embedded and is_done(data, "tables", wanted) and has_migrations(embedded, files):
            return
        with step("Updating the tables" if embedded.exists() or not is_embedded else "Making the tables"):
            manage(environ, "migrate", "--noinput", "--verbosity=0")
        if is_embedded:
            remember(data, "tables", wanted)
            embedded.chmod(0o600)


def has_migrations(database: Path, files: Iterable[Path]) -> bool:
    """Return whether an SQLite database lists all of these migrations as applied."""
    if not database.exists():
        return False
    try:
        with closing(sqlite3.connect(f"file:{quote(str(database))}?mode=ro", uri=True)) as connection:
            done = set(connection.execute("SELECT app, name FROM django_migrations"))
    except sqlite3.Error:
        return False
    return {(path.parent.parent.name, path.stem) for path in files} <= done


def static_files(data: Path, environ: dict[str, str]) -> None:
    """Collect the static files, unless they have not changed since the last time."""
    apps = [path.parent for path in [*ROOT.glob("*/apps.py"), *ROOT.glob("platform/*/apps.py")]]
    sources = [folder / "static" for folder in (ROOT, *apps)]
    files = [path for source in sources for path in source.rglob("*") if path.is_file()]
    wanted = folder.fingerprint([*files, ROOT / "pyproject.toml", ROOT / "locks" / "run.txt"])
    if is_done(data, "static", wanted) and (data / "static" / "staticfiles.json").exists():
        return
    with step("Collecting the static files"):
        manage(environ, "collectstatic", "--noinput", "--clear", "--verbosity=0")
    remember(data, "static", wanted)


def password(environ: dict[str, str]) -> str:
    """Set the administrator's first password and return it, to be shown once: it is stored nowhere else.

    Empty if there is a password already. This comes last, so that an interrupted start can't lose the password.
    """
    new = secrets.token_urlsafe(12)
    return new if manage(environ, "ensure_admin", password=new) == "password set" else ""


def demo(environ: dict[str, str]) -> None:
    """Load the demo study, unless it is loaded; raise `LauncherError` if that fails."""
    line("  Loading the demo study:")
    last_line = ""
    with subprocess.Popen(
        command("seed_demo"), cwd=ROOT, env=environ, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        try:
            for text in process.stdout or ():
                last_line = text.strip() or last_line
                line(f"    {text.rstrip()}")
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        raise LauncherError(
            f"The demo study could not be loaded: {last_line.removeprefix('CommandError: ')}\n"
            f"To start without it: {START} --no-demo"
        )


def is_done(data: Path, what: str, fingerprint: str) -> bool:
    """Return whether `what` was done with this fingerprint."""
    return folder.read_stamps(data / "prepared.json").get(what) == fingerprint


def remember(data: Path, what: str, fingerprint: str) -> None:
    """Record that `what` was done with this fingerprint."""
    stamps: dict[str, str] = folder.read_stamps(data / "prepared.json")
    folder.write_stamps(data / "prepared.json", {**stamps, what: fingerprint})


def last_address(data: Path) -> dict[str, str]:
    """Return the base URL of the last start, as an environment variable."""
    address = folder.read_stamps(data / "prepared.json").get("address")
    return {"EARSHOT_BASE_URL": address} if address else {}

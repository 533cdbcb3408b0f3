"""Bring the data to this version: tables, static files, the first account, the demo."""

from __future__ import annotations

import secrets
import sqlite3
import subprocess
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from launcher import folder
from launcher.commands import tail
from launcher.environment import PYTHON
from launcher.options import ROOT
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
    """Return what a management command gave as its reason to stop; empty where it only broke."""
    return output.rpartition("CommandError: ")[2].strip() if "CommandError: " in output else ""


def command(*arguments: str) -> list[str]:
    """Return the command line of a management command."""
    return [str(PYTHON), str(ROOT / "manage.py"), *arguments]


def tables(data: Path, environ: dict[str, str]) -> None:
    """Migrate the database. The embedded one is asked here whether it needs to be; another is asked by `migrate`."""
    files = [path for app in (ROOT, ROOT / "platform") for path in app.glob("*/migrations/[0-9]*.py")]
    is_embedded = not {"EARSHOT_DATABASE_URL", "EARSHOT_DATABASE_URL_FILE"} & set(environ)
    embedded = data / "earshot.sqlite3"
    # The lock names Django, whose own tables change with it.
    wanted = folder.fingerprint([*files, ROOT / "locks" / "run.txt"])
    # A command may be given while ./run is still at it for the first time.
    with folder.turn(data):
        if is_embedded and is_done(data, "tables", wanted) and has_migrations(embedded, files):
            return
        with step("Bringing the tables up to date" if embedded.exists() or not is_embedded else "Making the tables"):
            manage(environ, "migrate", "--noinput", "--verbosity=0")
        if is_embedded:
            remember(data, "tables", wanted)
            embedded.chmod(0o600)


def has_migrations(database: Path, files: Iterable[Path]) -> bool:
    """Say whether an SQLite database itself names every one of these migrations as done."""
    if not database.exists():
        return False
    try:
        with closing(sqlite3.connect(f"file:{quote(str(database))}?mode=ro", uri=True)) as connection:
            done = set(connection.execute("SELECT app, name FROM django_migrations"))
    except sqlite3.Error:
        return False
    return {(path.parent.parent.name, path.stem) for path in files} <= done


def static_files(data: Path, environ: dict[str, str]) -> None:
    """Collect the static files, unless these very files were collected before."""
    apps = [path.parent for path in [*ROOT.glob("*/apps.py"), *ROOT.glob("platform/*/apps.py")]]
    sources = [folder / "static" for folder in (ROOT, *apps)]
    files = [path for source in sources for path in source.rglob("*") if path.is_file()]
    wanted = folder.fingerprint([*files, ROOT / "pyproject.toml", ROOT / "locks" / "run.txt"])
    if is_done(data, "static", wanted) and (data / "static" / "staticfiles.json").exists():
        return
    with step("Collecting the static files"):
        manage(environ, "collectstatic", "--noinput", "--clear", "--verbosity=0")
    remember(data, "static", wanted)


def account(environ: dict[str, str]) -> None:
    """Make the first administrator when there is none; nobody can log in as them yet."""
    with step("Looking for an administrator"):
        manage(environ, "ensure_admin")


def password(environ: dict[str, str]) -> str:
    """Set the administrator's first password and return it, to be shown at once: it is kept nowhere else.

    Empty when there is one already. This comes last, so that an interrupted start can't lose what it has not shown.
    """
    new = secrets.token_urlsafe(12)
    return new if manage(environ, "ensure_admin", password=new) == "password set" else ""


def demo(environ: dict[str, str]) -> None:
    """Load the demo study; running it again changes nothing. Raises `LauncherError` when it can't be loaded."""
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
            "To start without it: ./run --no-demo"
        )


def is_done(data: Path, what: str, fingerprint: str) -> bool:
    """Say whether `what` was done with this fingerprint."""
    return folder.read_stamps(data / "prepared.json").get(what) == fingerprint


def remember(data: Path, what: str, fingerprint: str) -> None:
    """Write down that it was."""
    stamps: dict[str, str] = folder.read_stamps(data / "prepared.json")
    folder.write_stamps(data / "prepared.json", {**stamps, what: fingerprint})


def last_address(data: Path) -> dict[str, str]:
    """Return the base URL of the last start, as the setting it is."""
    address = folder.read_stamps(data / "prepared.json").get("address")
    return {"EARSHOT_BASE_URL": address} if address else {}

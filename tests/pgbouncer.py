"""A real PgBouncer in front of the tests' PostgreSQL."""

from __future__ import annotations

import getpass
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.servers import Processes, free_port, listens, until

SETTINGS = """
[databases]
* = {target}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
max_client_conn = 200
pool_mode = {mode}
"""
# Each transaction gets a session of its own, so that whatever a session should keep is missed at once.
FORGETFUL = "server_lifetime = 0\n"
# Since then it can keep prepared statements from one transaction to the next.
KEEPS_STATEMENTS = (1, 21)


def program() -> str:
    """Return the installed PgBouncer, or skip the test."""
    path = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
    if path is None:
        pytest.skip("PgBouncer is not installed")
    return path


def version() -> tuple[int, ...]:
    """Return its version."""
    said = subprocess.run([program(), "--version"], check=True, text=True, capture_output=True).stdout
    match = re.search(r"PgBouncer (\d+)\.(\d+)", said)
    assert match, said
    return tuple(map(int, match.groups()))


def start(processes: Processes, folder: Path, mode: str, row: dict[str, Any], *more: str) -> str:
    """Start it in front of a database (`row` of Django's settings), and return the database's address through it."""
    port = free_port()
    target = f"host={row['HOST']} port={row['PORT'] or 5432} user={row['USER']}"
    if row["PASSWORD"]:
        target += f" password='{row['PASSWORD']}'"
    lines = [SETTINGS.format(target=target, port=port, mode=mode), *more]
    if version() >= KEEPS_STATEMENTS:
        lines.append("max_prepared_statements = 200\n")
    path = folder / f"{mode}.ini"
    path.write_text("".join(lines), encoding="utf-8")
    # It refuses to run as root, reads this before it takes another account, and may not enter our folder afterwards.
    # PostgreSQL's folder, where its socket may be, is open to PostgreSQL's account alone.
    user = ("--user", "postgres") if getpass.getuser() == "root" else ()
    child = processes.start(program(), *user, str(path))
    until(lambda: listens(port), f"nobody listens on port {port}", alive=child)
    return f"postgresql://{quote(row['USER'])}@127.0.0.1:{port}/{row['NAME']}"

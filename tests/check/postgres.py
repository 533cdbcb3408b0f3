"""A PostgreSQL of the check's own: in a temporary folder, on a socket, gone at the end."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from launcher.commands import tail
from launcher.say import LauncherError, step

# Nothing in it outlives the check, so nothing has to reach the disk; compiling queries costs more than their few rows.
SPEED = "-c jit=off -c fsync=off -c synchronous_commit=off -c full_page_writes=off -c max_connections=300"


@contextmanager
def running(programs: Path) -> Iterator[str]:
    """Yield the address of an empty server."""
    folder = Path(tempfile.mkdtemp(prefix="earshot-pg-"))
    account: list[str] = []
    if os.geteuid() == 0:
        # PostgreSQL refuses to run as root.
        account = ["runuser", "-u", "postgres", "--"]
        user = pwd.getpwnam("postgres")
        os.chown(folder, user.pw_uid, user.pw_gid)
    data = folder / "data"
    try:
        with step("Starting a PostgreSQL for the tests"):
            options = f"{SPEED} -c listen_addresses='' -c unix_socket_directories='{folder}'"
            how = ["-U", "earshot", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
            call([*account, str(programs / "initdb"), "-D", str(data), *how])
            control = [*account, str(programs / "pg_ctl"), "-D", str(data)]
            call([*control, "-w", "-l", str(folder / "log"), "-o", options, "start"])
        yield f"postgresql://earshot@{quote(str(folder), safe='')}/postgres"
    finally:
        subprocess.run(
            [*account, programs / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop"],
            check=False, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        shutil.rmtree(folder, ignore_errors=True)


def call(command: list[str]) -> None:
    """Run one of PostgreSQL's programs."""
    # Output goes to a file: pg_ctl's server would keep a pipe open for ever.
    with tempfile.TemporaryFile("w+") as output:
        done = subprocess.run(command, check=False, cwd="/", stdout=output, stderr=subprocess.STDOUT)
        if done.returncode:
            output.seek(0)
            raise LauncherError(f"PostgreSQL could not be started:\n{tail(output.read())}")

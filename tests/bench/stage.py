"""What a measurement needs: an empty database, the product's processes on it, and their CPU time."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg

from tests import nginx
from tests.servers import ROOT, Child, Processes, free_port

TICK = os.sysconf("SC_CLK_TCK")
PREFIX = "earshot_bench"


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


class Stage:
    """The product's processes on one database: those of this checkout, or of another one."""

    def __init__(self, database: str, folder: Path, *, root: Path = ROOT, interpreter: str = sys.executable) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.database = database
        self.name = urlsplit(database).path.strip("/")
        own = {name: value for name, value in os.environ.items() if not name.startswith("EARSHOT_")}
        environment = {
            **own,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "EARSHOT_DATABASE_URL": database,
            "EARSHOT_SECRET_KEY": secrets.token_hex(32),
            "EARSHOT_DATA": str(folder),
            "EARSHOT_LOG_LEVEL": "WARNING",
            # A crowd of one machine.
            "EARSHOT_ARRIVAL_RATE": "0",
        }
        self.processes = Processes(environment, folder, root=root, interpreter=interpreter)
        self.port = free_port()
        self.children: dict[str, Child] = {}

    def create(self) -> None:
        """Make the database afresh, with the product's tables."""
        self.make_database()
        self.processes.manage("migrate", "--noinput", "--verbosity=0")
        self.processes.manage("collectstatic", "--noinput", "--verbosity=0")

    def make_database(self) -> None:
        """Make an empty database; only one whose name says that it is for this may be dropped."""
        if not self.name.startswith(PREFIX):
            raise SystemExit(f"The database's name must begin with {PREFIX}: it is dropped and made afresh.")
        with self.connect("postgres") as connection:
            connection.execute(f'DROP DATABASE IF EXISTS "{self.name}"')
            connection.execute(f'CREATE DATABASE "{self.name}"')

    def drop(self) -> None:
        with self.connect("postgres") as connection:
            connection.execute(f'DROP DATABASE IF EXISTS "{self.name}" WITH (FORCE)')

    def connect(self, name: str) -> psycopg.Connection[Any]:
        """Connect to a database of the same server."""
        return psycopg.connect(urlunsplit(urlsplit(self.database)._replace(path=f"/{name}")), autocommit=True)

    def serve(self, *, worker: bool, proxy: bool = False) -> None:
        """Start broker and web server; worker and beat if asked; nginx in front or not."""
        broker_port = free_port()
        url = f"redis://127.0.0.1:{broker_port}/0"
        self.children["broker"] = self.processes.broker(broker_port)
        if worker:
            self.children["worker"] = self.processes.worker(url, beat=False, EARSHOT_SWEEP_SECONDS="5")
            self.children["beat"] = self.processes.beat(url, EARSHOT_SWEEP_SECONDS="5")
        if not proxy:
            self.children["web"] = self.processes.web(self.port, EARSHOT_BROKER_URL=url)
            return
        web_port, data = free_port(), self.processes.folder
        behind = {"EARSHOT_BASE_URL": f"http://127.0.0.1:{self.port}", "EARSHOT_BEHIND_PROXY": "1"}
        self.children["web"] = self.processes.web(web_port, EARSHOT_BROKER_URL=url, **behind)
        # nginx makes its folder, of which an earlier start may have left one.
        shutil.rmtree(data / "nginx", ignore_errors=True)
        self.children["nginx"] = nginx.start(self.processes, data / "nginx", self.port, web_port)

    def stop(self) -> None:
        """Take the processes away, until they are served again."""
        for child in reversed(self.children.values()):
            child.kill()
        self.children.clear()

    def tool(self, module: str, *arguments: str, given: Any = None) -> Any:
        """Run one of the checkout's own bench programs in the product's environment; JSON in, JSON out."""
        done = subprocess.run(
            [self.processes.interpreter, "-m", f"tests.bench.{module}", *arguments], cwd=self.processes.root,
            env=self.processes.environment, input=json.dumps(given), text=True, capture_output=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise SystemExit(f"tests.bench.{module} failed:\n{done.stderr}")
        return json.loads(done.stdout)

    def cpu(self) -> dict[str, float]:
        """Return CPU seconds so far: of each child with its own children, and of this database's server processes."""
        used = {name: sum(seconds_of(pid) for pid in group(child.process.pid)) for name, child in self.children.items()}
        with self.connect("postgres") as connection:
            rows = connection.execute("SELECT pid FROM pg_stat_activity WHERE datname = %s", [self.name]).fetchall()
        used["database"] = sum(seconds_of(pid) for (pid,) in rows)
        return used


@contextmanager
def staged(database: str, folder: Path) -> Iterator[Stage]:
    """Yield a stage; its processes end with the block."""
    stage = Stage(database, folder)
    try:
        yield stage
    finally:
        stage.processes.close()


def group(leader: int) -> list[int]:
    """Return the processes of a group."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if os.getpgid(int(entry.name)) == leader:
                found.append(int(entry.name))
        except ProcessLookupError:
            continue
    return found


def seconds_of(pid: int) -> float:
    """Return CPU seconds of a process and of those children that it has outlived; 0 when it is gone or elsewhere."""
    return sum(ticks(pid)) / TICK


def own_seconds_of(pid: int) -> float:
    """Return CPU seconds of a process without its children."""
    return sum(ticks(pid)[:2]) / TICK


def ticks(pid: int) -> list[int]:
    """Return user and system time of a process, then those of the children that it has outlived."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return [0, 0, 0, 0]
    return [int(field) for field in fields[11:15]]


def others(used: float, seconds: float, before: float) -> str:
    """Say how much of the machine was busy with something else, as cores."""
    busy = busy_seconds() - before
    return f"{max(0.0, (busy - used) / seconds):.2f} of {os.cpu_count()} cores busy with anything else"


def busy_seconds() -> float:
    """Return the CPU seconds that this machine has spent so far, all cores together."""
    fields = [int(field) for field in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / TICK


def stamp() -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime())

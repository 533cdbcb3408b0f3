"""Start the children, restart those that die or hang, and stop them all."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import time
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import IO

from core.paths import ROOT
from launcher.children import Child, log_of
from launcher.commands import tail
from launcher.interrupts import Interrupts
from launcher.say import LauncherError, line
from launcher.watchdog import send

BIG_LOG = 5_000_000
# A child that dies this often within this time won't recover.
DEATHS, WITHIN = 4, 60.0
# Seconds after which a child that touches a file every few seconds hangs.
SILENT = 120.0


class Supervisor:
    """The parent of every process; without a data folder, their output is its own."""

    def __init__(self, data: Path | None, environ: dict[str, str], interrupts: Interrupts) -> None:
        self.data = data
        self.environ = environ
        self.interrupts = interrupts
        self.running: dict[Child, subprocess.Popen[bytes]] = {}
        self.deaths: dict[str, list[float]] = {}
        # By child, when its file was last touched, and since when that is so by this process's clock.
        self.beats: dict[Child, tuple[float, float]] = {}
        self.counts = tempfile.TemporaryDirectory(prefix="earshot-metrics-")
        # In its own session, so that it survives when the terminal's processes are killed.
        self.watchdog = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("watchdog.py"))],
            stdin=subprocess.PIPE, start_new_session=True, text=True, bufsize=1,
        )  # fmt: skip

    def start(self, child: Child) -> None:
        """Start one child in its own process group, with its output in its log."""
        with self.interrupts.later(), open_log(self.data and log_of(self.data, child)) as log:
            try:
                process = subprocess.Popen(
                    child.command, cwd=ROOT, env=self.environ_of(child), stdin=subprocess.DEVNULL,
                    stdout=log, stderr=subprocess.STDOUT, process_group=0,
                    pass_fds=() if child.listener is None else (child.listener.fileno(),),
                )  # fmt: skip
            except OSError as error:
                raise LauncherError(f"The {child.name} process can't be started: {error}.") from error
            self.running[child] = process
            self.beats[child] = 0.0, time.monotonic()
            self.tell(f"+{process.pid}")

    def environ_of(self, child: Child) -> dict[str, str]:
        """Return the environment of a child."""
        environ = dict(self.environ)
        if child.alive is not None:
            environ["LAUNCHER_ALIVE"] = str(child.alive)
        if child.listener is not None:
            environ["LAUNCHER_SOCKET"] = str(child.listener.fileno())
            if {"EARSHOT_METRICS_TOKEN", "EARSHOT_METRICS_TOKEN_FILE"} & set(environ):
                # Web processes count requests together; read before prometheus_client is.
                environ["PROMETHEUS_MULTIPROC_DIR"] = self.counts.name
        return environ

    def look_after(self) -> None:
        """Restart children that died or hang; raise `LauncherError` if one dies again and again."""
        for child, process in list(self.running.items()):
            if process.poll() is None:
                if not self.hangs(child):
                    continue
                line(f"The {child.name} process has done nothing for {SILENT:.0f} s and is killed.")
                send(process.pid, signal.SIGKILL)
                process.wait()
            # Its own children may still run.
            send(process.pid, signal.SIGKILL)
            self.tell(f"-{process.pid}")
            del self.running[child]
            times = [at for at in self.deaths.get(child.name, []) if time.monotonic() - at < WITHIN]
            self.deaths[child.name] = [*times, time.monotonic()]
            line(f"The {child.name} process ended with status {process.returncode}.{self.last_words(child)}")
            if len(times) + 1 >= DEATHS:
                raise LauncherError(f"The {child.name} process keeps failing, so everything is stopped.")
            line(f"Restarting the {child.name} process.")
            self.start(child)

    def hangs(self, child: Child) -> bool:
        """Return whether a child has not touched its file for long, by a clock that rests while the machine sleeps."""
        if child.alive is None:
            return False
        touched, since = self.beats[child]
        now = child.alive.stat().st_mtime if child.alive.exists() else 0.0
        if now != touched:
            self.beats[child] = now, time.monotonic()
            return False
        return time.monotonic() - since > SILENT

    def last_words(self, child: Child) -> str:
        """Return the end of a child's log, and where that is."""
        if self.data is None:
            return ""
        log = log_of(self.data, child)
        return f" The end of {log}:\n{tail(log.read_text(encoding='utf-8', errors='replace'))}"

    def stop(self) -> None:
        """Stop every child, the last one started first; returns when all of them are gone."""
        self.interrupts.held, began = True, time.monotonic()
        asked: set[str] = set()
        for child, process in reversed(self.running.items()):
            if child.name not in asked:
                # Several of one name stop side by side.
                asked.add(child.name)
                for other, sibling in self.running.items():
                    if other.name == child.name:
                        send(sibling.pid, signal.SIGTERM)
            until = time.monotonic() + child.patience
            # A second Ctrl-C means: stop now. One within the first moment is the same signal, sent to the whole group.
            while process.poll() is None and time.monotonic() < until and self.interrupts.asked_at < began + 1:
                time.sleep(0.05)
            if process.poll() is None:
                line(f"The {child.name} process has not stopped and is killed.")
            send(process.pid, signal.SIGKILL)
            process.wait()
            self.tell(f"-{process.pid}")
        self.running.clear()
        self.counts.cleanup()
        with suppress(OSError):
            assert self.watchdog.stdin is not None
            self.watchdog.stdin.close()
        self.watchdog.wait(10)

    def tell(self, text: str) -> None:
        """Tell the watchdog about a child; continue if the watchdog is dead."""
        try:
            assert self.watchdog.stdin is not None
            self.watchdog.stdin.write(text + "\n")
        except OSError:
            line("The watchdog process is gone: if this program is killed, stop its children by hand.")


def open_log(path: Path | None) -> AbstractContextManager[IO[bytes] | None]:
    """Open a log that only its owner can read; rotate a large one first. None: this process's own output."""
    if path is None:
        return nullcontext()
    if path.exists() and path.stat().st_size > BIG_LOG:
        path.replace(path.with_suffix(".old.log"))
    path.touch(mode=0o600)
    return path.open("ab")

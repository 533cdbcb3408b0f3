"""The processes that make up a running Earshot."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from launcher import broker, settings
from launcher.environment import PYTHON
from launcher.options import Options
from launcher.say import LauncherError

# Without the banner, which is no log line.
CELERY = (str(PYTHON), "-m", "celery", "--quiet", "-A", "config.celery")


@dataclass(frozen=True)
class Child:
    """A process and the name by which people know it."""

    name: str
    command: tuple[str, ...]
    # Seconds that it may take to stop before it is killed.
    patience: float = 10.0
    # A file that it touches every few seconds, by which one that hangs is noticed.
    alive: Path | None = None
    # At which a web process answers; kept open here, so that clients wait while a process is restarted.
    listener: socket.socket | None = None


def web(listener: socket.socket, alive: Path, command: tuple[str, ...], environ: Mapping[str, str]) -> list[Child]:
    """Return the web processes that answer at a socket, each with a file of its own in the folder `alive`."""
    try:
        count = int(environ.get("EARSHOT_WEB_WORKERS") or 2)
    except ValueError:
        raise LauncherError("EARSHOT_WEB_WORKERS is no number.") from None
    return [
        Child("web", command, alive=alive / f"web-{number}.alive", listener=listener)
        for number in range(1, max(1, count) + 1)
    ]


def children(options: Options, environ: Mapping[str, str], listener: socket.socket | None) -> list[Child]:
    """Return the processes in the order they start; they stop in the opposite order.

    There are web processes where there is a `listener` for the pages.
    """
    processes: dict[str, Child] = {}
    if not settings.has_own_broker(environ):
        processes["broker"] = Child("broker", broker.command(options.data))
    workers = environ.get("EARSHOT_WORKERS") or "2"
    worker = ("worker", f"--concurrency={workers}", "--loglevel=WARNING", "--without-gossip", "--without-mingle")
    processes["worker"] = Child("worker", (*CELERY, *worker), patience=20.0, alive=options.data / "worker.alive")
    processes["beat"] = Child(
        "beat", (*CELERY, "beat", "--loglevel=WARNING", "--pidfile="), alive=options.data / "beat.alive"
    )
    background = [child for name, child in processes.items() if name in ("broker", *options.parts)]
    pages = () if listener is None else web(listener, options.data, (str(PYTHON), "-m", "config.web"), environ)
    return [*background, *pages]


def log_of(data: Path, child: Child) -> Path:
    """Return the path of a child's log."""
    return data / "logs" / f"{child.name}.log"
